"""Returns the image itself.

Fails: test_by_hand, test_view, test_too_small, test_values, test_dilation, test_strides, test_offset, test_view_of_any_layout, test_gradients, test_operations
Costs: all, because no patch is cut.
Says: the image comes back as it was
"""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    return x
