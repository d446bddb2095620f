"""floor(z + 0.5).

Fails: test_halves
Says: all halves go up, not to the even neighbour
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half - 1)
    return scale * (z + ((z + 0.5).floor() - z).detach())
