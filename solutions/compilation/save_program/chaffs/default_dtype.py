"""Draws two rows of the right shape, in float32.

Fails: test_other_inputs
Says: the example is replaced by numbers of another dtype
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.randn(2, *example.shape[1:])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
