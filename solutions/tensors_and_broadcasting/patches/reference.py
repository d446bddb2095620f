"""Windows over the rows, then over the columns, and of each window every dilation-th number.

Why: unfold, the method, puts a window of neighbours into a new last dimension, and it copies nothing: the new dimension has the
    stride of the old one, whose own stride grows. Done for height and width, the windows lie where the contract wants them. A slice
    with a step is a view as well, so it can thin out a window. Strides, offset and gradient are torch's business all the way,
    and a window that does not fit is an error already.
"""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    reach = (size - 1) * dilation + 1
    windows = x.unfold(-2, reach, stride).unfold(-2, reach, stride)
    return windows[..., ::dilation, ::dilation]
