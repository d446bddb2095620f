"""Adds the ending to path, if it is not there.

Fails: test_elsewhere
Says: path is taken to be text, although it may be a Path
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    if not path.endswith(".pt2"):
        path = path + ".pt2"
    torch.export.save(program, path)
