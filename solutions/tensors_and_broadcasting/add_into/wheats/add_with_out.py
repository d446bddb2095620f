"""torch.add with out=, of clones that have its shape already: so it never resizes, and never meets an overlap."""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.result_type(a, b)
    a = a.to(dtype).expand(out.shape).clone()
    b = b.to(dtype).expand(out.shape).clone()
    torch.add(a, b, out=out)
    return out
