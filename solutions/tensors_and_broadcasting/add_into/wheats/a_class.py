"""A class that checks a target when it is made."""

import torch
from torch import Tensor


class Target:
    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def check(self, value: Tensor) -> None:
        if torch.broadcast_shapes(value.shape, self.tensor.shape) != self.tensor.shape:
            raise ValueError(f"{tuple(value.shape)} does not broadcast to {tuple(self.tensor.shape)}")
        if not torch.can_cast(value.dtype, self.tensor.dtype):
            raise TypeError(f"{value.dtype} into {self.tensor.dtype}")

    def write(self, value: Tensor) -> Tensor:
        self.check(value)
        with torch.no_grad():
            self.tensor.copy_(value.to(self.tensor.dtype))
        return self.tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return Target(out).write(a.clone() + b.clone())
