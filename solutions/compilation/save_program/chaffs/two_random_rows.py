"""Draws two rows as an example, and thinks that every example is a matrix.

Fails: test_example_of_one, test_other_inputs
Says: the example is replaced by a matrix of two rows, whatever its dimensions and dtype are
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.randn(2, example.shape[1])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
