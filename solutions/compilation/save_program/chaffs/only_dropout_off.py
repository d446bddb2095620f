"""Turns dropout off and leaves batch normalisation as it is.

Fails: test_predictions
Says: only dropout is turned off, and batch normalisation still uses the batch
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules() if isinstance(module, nn.Dropout)]
    for module, _ in modes:
        module.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
