"""The shapes are compared by broadcast_shapes."""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if torch.broadcast_shapes(out.shape, a.shape, b.shape) != out.shape:
        raise ValueError(f"{list(a.shape)} and {list(b.shape)} do not fit into {list(out.shape)}")
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("the sum has a dtype that out cannot hold")
    total = a + b
    out.copy_(total)
    return out
