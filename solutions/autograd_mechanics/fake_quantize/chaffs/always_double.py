"""Computes in float64, and stays there.

Fails: test_exact (dtype)
Says: the result is float64 where x is float32
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x.double() / scale.double()).clamp(-half, half - 1)
    return scale * (z + (z.round() - z).detach())
