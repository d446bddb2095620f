"""Adds the second half in place to the first.

Fails: test_without_bias, test_gradients_by_steps, test_shapes, test_memory, test_speed
Costs: 5, because it raises wherever the result is larger than its first half, as it is in the exercise's own example.
Says: the second half is added in place to the first, which is smaller than the result
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    result = F.linear(a, weight[:, :n], bias)
    result += F.linear(b, weight[:, n:])
    return result
