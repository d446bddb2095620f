"""masked_scatter_ with a mask that is true everywhere."""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    total = (a + b).expand_as(out)
    if not torch.can_cast(total.dtype, out.dtype):
        raise RuntimeError("would lose something")
    everywhere = torch.ones(out.shape, dtype=torch.bool)
    return out.masked_scatter_(everywhere, total.to(out.dtype).contiguous())
