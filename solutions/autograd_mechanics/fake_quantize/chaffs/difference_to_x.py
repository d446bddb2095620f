"""x + (q - x).detach(), the trick as it is often seen.

Fails: test_gradient_of_scale (detached), test_exact (values), test_x_outside, test_scale_outside (detached), test_scale_of_rows
Costs: 5.5, because one line makes three mistakes: a rounding, a gradient outside the range, and none for scale.
Says: you add q - x to x itself: this is off by a rounding, and the clamp and scale are cut off as well
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    q = scale * (x / scale).clamp(-half, half - 1).round()
    return x + (q - x).detach()
