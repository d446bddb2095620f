"""Eight bits, whatever bits says.

Fails: test_ends
Says: bits is not used
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    z = (x / scale).clamp(-128, 127)
    return scale * (z + (z.round() - z).detach())
