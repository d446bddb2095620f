"""Computes in float32, and goes back at the end.

Fails: test_exact (values)
Says: float64 is computed in float32
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x.float() / scale.float()).clamp(-half, half - 1)
    n = z + (z.round() - z).detach()
    return (scale.float() * n).to(x.dtype)
