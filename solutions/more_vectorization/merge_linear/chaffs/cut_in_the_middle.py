"""Cuts the weight in two equal parts.

Fails: test_by_hand, test_values, test_empty
Says: weight is cut in the middle, where n and m differ
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    of_a, of_b = weight.chunk(2, dim=1)
    return F.linear(a, of_a) + F.linear(b, of_b, bias)
