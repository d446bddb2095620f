"""Keeps the modes of the children, and not of what is inside them.

Fails: test_mixed_modes
Says: only the modes of the direct children are kept, and not of the parts inside them
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    training = model.training
    modes = [(module, module.training) for module in model.children()]
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    model.train(training)
    for module, mode in modes:
        module.train(mode)
    torch.export.save(program, path)
