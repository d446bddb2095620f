"""Freezes the parameters, which nobody thaws.

Fails: test_state
Says: the parameters are frozen for the export and stay so
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    model.requires_grad_(False)
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
