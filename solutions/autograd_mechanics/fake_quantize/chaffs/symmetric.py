"""The range is symmetric, -127 to 127.

Fails: test_ends, test_scale_outside (values)
Says: the lowest whole number is left out, so that the range is symmetric
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    high = 2 ** (bits - 1) - 1
    z = (x / scale).clamp(-high, high)
    return scale * (z + (z.round() - z).detach())
