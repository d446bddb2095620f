"""Rounds, and clamps nothing.

Fails: test_exact, test_ends, test_x_outside, test_scale_outside (values)
Costs: 4, because outside the range nothing is right.
Says: the clamp is missing
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    z = x / scale
    return scale * (z + (z.round() - z).detach())
