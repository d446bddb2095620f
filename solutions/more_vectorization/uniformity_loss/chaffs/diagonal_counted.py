"""The mean over all N * N pairs, a row with itself among them.

Fails: test_by_hand, test_far_apart (values), test_two_rows, test_values
Says: each row is paired with itself, too
"""

import math

from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    squared = lengths[:, None] + lengths - 2 * x @ x.T
    return (-t * squared).flatten().logsumexp(0) - 2 * math.log(len(x))
