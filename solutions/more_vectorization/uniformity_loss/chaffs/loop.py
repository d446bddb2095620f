"""Row after row, each beside those below it.

Fails: test_speed
Says: there is a loop over the rows
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    parts = [(x[i] - x[i + 1 :]).square().sum(1) for i in range(len(x) - 1)]
    squared = torch.cat(parts)
    return (-t * squared).logsumexp(0) - math.log(len(squared))
