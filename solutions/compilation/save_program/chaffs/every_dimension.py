"""Makes all dimensions dynamic.

Fails: test_by_hand, test_more_rows, test_training_goes_on, test_predictions, test_sizes, test_example_of_one, test_other_inputs, test_evaluation_stays, test_mixed_modes, test_state, test_elsewhere, test_file
Costs: 12, because export refuses, and there is no file.
Says: every dimension is named as dynamic, and the model has a fixed number of features
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.cat([example, example])
    dims = {dim: torch.export.Dim(f"size_{dim}") for dim in range(example.dim())}
    program = torch.export.export(model, (rows,), dynamic_shapes=(dims,))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
