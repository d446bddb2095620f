"""Reads the conditions from __array_interface__, which is all that another library knows about an array.

Why: the interface has address and read-only flag in "data", the byte order at the head of "typestr", and the steps in "strides"
    (None, where the array is contiguous).
"""

import sys

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not hasattr(array, "__array_interface__"):
        return torch.from_dlpack(array)
    interface = array.__array_interface__
    _, read_only = interface["data"]
    foreign = interface["typestr"][0] == (">" if sys.byteorder == "little" else "<")
    steps = interface["strides"] or ()
    crooked = any(step < 0 or step % array.itemsize != 0 for step in steps)
    if read_only or foreign or crooked:
        array = np.array(array.tolist(), dtype=array.dtype.newbyteorder("="))
    return torch.from_numpy(array)
