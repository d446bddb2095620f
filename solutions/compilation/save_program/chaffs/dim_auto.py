"""Dim.AUTO makes a constant of an example of one row, and says nothing.

Fails: test_example_of_one
Says: Dim.AUTO takes a batch of one row for a constant
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    program = torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
