"""Returns the whole numbers, and does not go back to the size of x.

Fails: test_by_hand, test_values, test_exact, test_halves, test_ends, test_gradient_of_x, test_gradient_of_scale, test_scale_outside,
    test_scale_of_rows
Costs: all, because the product with scale is missing, and neither numbers nor gradients are right without it.
Says: the result is not multiplied by scale
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half - 1)
    return z + (z.round() - z).detach()
