"""Copies what is read-only, and lets from_numpy say about the rest whether it can be shared.

Why: all conditions but one make from_numpy raise an error, so they need not be repeated here. The one that does not, read-only
    memory, is asked for before.
"""

import numpy as np
import torch


def share(array):
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    native = array.dtype.newbyteorder("=")
    if not array.flags.writeable:
        return torch.from_numpy(np.array(array, dtype=native, order="C"))
    try:
        return torch.from_numpy(array)
    except (TypeError, ValueError):
        return torch.from_numpy(np.array(array, dtype=native, order="C"))
