"""Two rows for an example, a named batch dimension, and each module's own mode set again."""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        rows = torch.cat([example, example])  # one row would be taken for a constant
        program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
        torch.export.save(program, path)
    finally:
        for module, training in modes:
            module.training = training
