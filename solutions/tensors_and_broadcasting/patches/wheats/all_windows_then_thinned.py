"""All windows with stride 1, and then slices with steps for stride and dilation."""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    reach = (size - 1) * dilation + 1
    everywhere = x.unfold(-2, reach, 1).unfold(-2, reach, 1)
    return everywhere[..., ::stride, ::stride, ::dilation, ::dilation]
