"""Saves a trace, which torch.export.load does not read.

Fails: test_by_hand, test_more_rows, test_predictions, test_sizes, test_example_of_one, test_other_inputs, test_evaluation_stays, test_mixed_modes, test_state, test_elsewhere, test_file
Costs: 11.5, because the file is not a program of torch.export.
Says: a trace of torch.jit is saved, which torch.export.load does not read
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    torch.jit.trace(model, example).save(str(path))
    for module, training in modes:
        module.training = training
