"""The argument's name is asked for; modes are kept by the modules' names."""

import inspect
import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = {name: module.training for name, module in model.named_modules()}
    try:
        model.eval()
        (argument, *_) = inspect.signature(model.forward).parameters
        rows = example.expand(3, *example.shape[1:]) if example.shape[0] == 1 else example
        dynamic = {argument: {0: torch.export.Dim("batch", min=1, max=2**20)}}
        program = torch.export.export(model, (rows,), dynamic_shapes=dynamic)
    finally:
        for name, training in modes.items():
            model.get_submodule(name).training = training
    torch.export.save(program, path)
