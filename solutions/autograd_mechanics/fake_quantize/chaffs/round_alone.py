"""The formula as it stands: round has the derivative 0.

Fails: test_gradient_of_x (values), test_gradient_of_scale (values), test_scale_of_rows (values)
Costs: 3.5, because x and scale both get their gradients through round.
Says: the gradient stops at round, whose derivative is 0
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    return scale * (x / scale).clamp(-half, half - 1).round()
