"""Only the parts that were in training mode are changed, and changed back."""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    were_training = {module for module in model.modules() if module.training}
    for module in were_training:
        module.training = False
    two = torch.stack([example[0], example[0]])
    dims = {0: torch.export.Dim.AUTO, **{dim: torch.export.Dim.STATIC for dim in range(1, example.dim())}}
    program = torch.export.export(model, (two,), dynamic_shapes=(dims,))
    for module in were_training:
        module.training = True
    torch.export.save(program, os.fspath(path))
