"""A context manager keeps the modes, and train(mode) sets them from the outside in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    before = [module.training for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in zip(model.modules(), before):
            module.train(mode)


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    # shape and dtype are all that export needs of the example
    rows = torch.zeros((4, *example.shape[1:]), dtype=example.dtype, device=example.device)
    with evaluating(model), torch.no_grad():
        program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    torch.export.save(program, path)
