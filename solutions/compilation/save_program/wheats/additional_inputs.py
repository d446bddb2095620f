"""Export is shown two sizes, and finds out which dimension differs."""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    two, three, five = (example[:1].repeat_interleave(count, dim=0) for count in (2, 3, 5))
    others = torch.export.AdditionalInputs()
    others.add((three,))
    others.add((five,))
    program = torch.export.export(model, (two,), dynamic_shapes=others)
    torch.export.save(program, path)
    for module, training in modes:
        module.train(training)
