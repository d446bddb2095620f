"""Makes one batch dimension of all, by reshape: a copy where their memory does not allow it.

Fails: test_view_of_any_layout
Says: reshape copies some batches, and the patches are then no view of x
"""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, height, width = x.shape
    images = x.reshape(-1, height, width)
    reach = (size - 1) * dilation + 1
    windows = images.unfold(1, reach, stride).unfold(2, reach, stride)[..., ::dilation, ::dilation]
    return windows.unflatten(0, batch) if batch else windows[0]
