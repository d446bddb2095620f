"""Exports for the size of the example.

Fails: test_more_rows, test_sizes, test_example_of_one
Says: the program is exported for the batch size of the example alone
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    program = torch.export.export(model, (example,))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
