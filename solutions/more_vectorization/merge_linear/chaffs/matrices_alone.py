"""Transposes with .T what may have more than two dimensions.

Fails: test_by_hand, test_without_bias, test_gradients_by_steps, test_shapes, test_empty, test_memory, test_speed
Costs: 6.5, because it raises for all but matrices of equally many rows.
Says: .T turns around all dimensions, and not the last two
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    result = (weight[:, :n] @ a.T + weight[:, n:] @ b.T).T
    return result if bias is None else result + bias
