"""Sets a largest batch size that nobody asked for.

Fails: test_sizes, test_example_of_one
Says: the batch size is given an upper limit that the task does not have
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch", max=32)},))
    for module, training in modes:
        module.training = training
    torch.export.save(program, path)
