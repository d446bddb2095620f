"""Cuts the fraction off, as a conversion to int does.

Fails: test_by_hand, test_values, test_exact, test_halves, test_gradient_of_scale (values), test_scale_of_rows (values)
Costs: 5.5, because no number is rounded, and round(z) stands in the gradient of scale, too.
Says: the fraction is cut off, not rounded
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half - 1)
    return scale * (z + (z.trunc() - z).detach())
