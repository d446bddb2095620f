"""q.detach() + (x - x.detach()): on the grid, but x is not clamped on the way back, and scale is left out.

Fails: test_gradient_of_scale (detached), test_x_outside, test_scale_outside (detached), test_scale_of_rows
Costs: 4.5, because both the clamp and scale are cut off.
Says: the zero that you add has the gradient of x alone, without the clamp and without scale
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    q = scale * (x / scale).clamp(-half, half - 1).round()
    return q.detach() + (x - x.detach())
