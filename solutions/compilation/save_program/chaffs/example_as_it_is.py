"""Exports the example as it is, with a named batch dimension.

Fails: test_example_of_one
Says: an example of one row is exported as it is
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    program = torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
