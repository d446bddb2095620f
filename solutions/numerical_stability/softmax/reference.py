"""The formula with each row's own maximum subtracted, computed in float32 at least.

Why: Multiplying numerator and denominator by the same factor changes nothing, and exp(-m) is such a factor: exp(x -
    m) / sum exp(x - m) is the same number for every m. With the row's own maximum as m the largest exponent is
    exactly 0, so nothing overflows and the sum is at least 1. The subtraction comes first and is exact to a rounding,
    which is why nearly tied logits keep their digits. The conversion to float32 comes before all of it. Autograd
    needs no help: the maximum's own gradient cancels.
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = (x - x.amax(dim=dim, keepdim=True)).exp()
    return exps / exps.sum(dim=dim, keepdim=True)
