"""Exports the model in the mode that it is in.

Fails: test_by_hand, test_predictions
Says: the model is exported in the mode that it is in
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, path)
