"""Rounds halves away from 0, as in school.

Fails: test_halves
Says: halves go away from 0, not to the even neighbour
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half - 1)
    n = z.sign() * (z.abs() + 0.5).floor()
    return scale * (z + (n - z).detach())
