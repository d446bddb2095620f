"""The range of numbers without a sign, moved to 0: -128 to 128.

Fails: test_exact, test_ends, test_scale_outside (values)
Says: the highest whole number is one too high
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = (x / scale).clamp(-half, half)
    return scale * (z + (z.round() - z).detach())
