"""Leaves the model in evaluation mode.

Fails: test_training_goes_on, test_mixed_modes
Says: the model is left in evaluation mode
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, path)
