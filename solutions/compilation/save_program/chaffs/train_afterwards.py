"""Calls train() afterwards, whatever was before.

Fails: test_evaluation_stays, test_mixed_modes
Says: train() is called afterwards, whatever the mode was before
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, path)
    model.train()
