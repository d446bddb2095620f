"""The model is a part of another module, whose forward has a name that is known."""

import os

import torch
from torch import Tensor, nn


class Saved(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    modes = [m.training for m in model.modules()]
    wrapper = Saved(model).eval()
    x = torch.cat((example, example[:1]))
    program = torch.export.export(wrapper, (x,), dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    torch.export.save(program, path)
    for m, mode in zip(model.modules(), modes):
        m.training = mode
