"""torch.add writes into out=, and resizes it where the shape is another.

Fails: test_errors (raised), test_larger_out (values), test_overlap
Says: torch.add(..., out=out) gives out another shape instead of an error, and refuses to write where it reads
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return torch.add(a, b, out=out)
