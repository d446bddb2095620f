"""Names the argument as nn.Sequential does.

Fails: test_other_inputs
Says: the argument is expected to have the name input in every model
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes={"input": {0: torch.export.Dim("batch")}})
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
