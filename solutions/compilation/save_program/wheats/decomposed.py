"""The exported program is lowered to core operators before it is saved."""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    rows = example if len(example) > 1 else torch.cat([example, example])
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program.run_decompositions(), path)
    for module, training in modes:
        module.training = training
