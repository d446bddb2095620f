"""Gives every part the mode that the model itself had.

Fails: test_mixed_modes
Says: every part is given the mode that the whole model had
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    training = model.training
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    model.train(training)
    torch.export.save(program, path)
