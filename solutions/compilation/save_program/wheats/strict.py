"""Strict mode, which reads the bytecode; the file is written by hand."""

import io
import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = {id(module): module.training for module in model.modules()}
    model.train(False)
    rows = (
        torch.randn(2, *example.shape[1:]).to(example)
        if example.is_floating_point()
        else example.new_zeros((2, *example.shape[1:]))
    )
    program = torch.export.export(model, (rows,), dynamic_shapes=({0: torch.export.Dim("batch", min=1)},), strict=True)
    for module in model.modules():
        module.training = modes[id(module)]
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    with open(path, "wb") as file:
        file.write(buffer.getvalue())
