"""Detaches scale where x is divided by it.

Fails: test_gradient_of_scale (values), test_scale_of_rows (values)
Says: scale is detached in x / scale, so that -z is missing in its gradient
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale.detach()).clamp(-half, half - 1)
    return scale * (z + (z.round() - z).detach())
