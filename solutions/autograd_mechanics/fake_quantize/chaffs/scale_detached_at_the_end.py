"""Detaches scale where the whole number is multiplied by it.

Fails: test_gradient_of_scale (values), test_scale_outside, test_scale_of_rows (values)
Says: scale is detached in the product at the end, so that round(z) is missing in its gradient
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half - 1)
    return scale.detach() * (z + (z.round() - z).detach())
