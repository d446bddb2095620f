"""Modes are kept and set by recursion over children; shapes are a collection."""

import os

import torch
from torch import Tensor, nn


def modes_of(module: nn.Module) -> tuple:
    return module.training, [modes_of(child) for child in module.children()]


def set_modes(module: nn.Module, modes: tuple) -> None:
    module.training, of_children = modes
    for child, of_child in zip(module.children(), of_children):
        set_modes(child, of_child)


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = modes_of(model)
    model.eval()
    example = torch.cat([example] * 2)
    shapes = torch.export.ShapesCollection()
    shapes[example] = {0: torch.export.Dim("batch")}
    torch.export.save(torch.export.export(model, (example,), dynamic_shapes=shapes), path)
    set_modes(model, modes)
