"""Windows over the columns first, and the two axes of a patch end up swapped.

Fails: test_by_hand (transposed), test_values, test_dilation
Says: each patch is transposed
"""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    span = (size - 1) * dilation + 1
    return x.unfold(-1, span, stride).unfold(-3, span, stride)[..., ::dilation, ::dilation]
