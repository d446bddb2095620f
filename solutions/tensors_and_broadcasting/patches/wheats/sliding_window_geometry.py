"""Takes the strides from NumPy's sliding_window_view of an array of the same geometry.

Why: strides are numbers, and any library may work them out. NumPy counts them in bytes, so they are divided by the size of an item.
    The data stay with torch, so that the gradient does, too.
"""

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    model = as_strided(np.empty(1, dtype=np.int8), tuple(x.shape), tuple(x.stride()))  # looked at, never read
    reach = (size - 1) * dilation + 1
    windows = sliding_window_view(model, (reach, reach), axis=(-2, -1))
    chosen = windows[..., ::stride, ::stride, ::dilation, ::dilation]
    return x.as_strided(chosen.shape, chosen.strides)
