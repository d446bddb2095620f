"""The library's log_softmax, times the target.

Why: torch.log_softmax does the shift and the logarithm in one stable step, so only the weighted sum is left. It takes
    the target as it is, soft or one-hot, once both are in the dtype that is computed in. In daily work write this
    one.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * F.log_softmax(x, dim=dim)).sum(dim=dim)
