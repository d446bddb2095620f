"""The sum in memory of its own, checked before anything is written.

Why: a + b reads everything before copy_ writes, so overlaps do no harm, and it adds in result_type(a, b). copy_ never resizes: it broadcasts
    the sum to out or raises, also where out is expanded, and it raises before it writes. The one thing that it does not refuse is a cast
    that loses (0.5 into int64 is 0), so that is asked first. torch.add(a, b, out=out) is the other way round: it checks dtypes, and resizes.
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    total = a + b
    if not torch.can_cast(total.dtype, out.dtype):
        raise TypeError(f"{total.dtype} does not fit into {out.dtype}")
    return out.copy_(total)
