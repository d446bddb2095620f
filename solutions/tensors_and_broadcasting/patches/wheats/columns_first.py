"""Windows over the columns first, then over the rows; the two patch axes are put in order at the end."""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    reach = dilation * (size - 1) + 1
    over_columns = x.unfold(-1, reach, stride)[..., ::dilation]
    over_both = over_columns.unfold(-3, reach, stride)[..., ::dilation]
    return over_both.transpose(-1, -2)
