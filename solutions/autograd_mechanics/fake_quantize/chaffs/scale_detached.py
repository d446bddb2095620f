"""Takes scale for a constant.

Fails: test_gradient_of_scale (detached), test_scale_outside (detached), test_scale_of_rows
Says: scale is detached
"""

from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    scale = scale.detach()
    z = (x / scale).clamp(-half, half - 1)
    return scale * (z + (z.round() - z).detach())
