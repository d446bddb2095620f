"""What runs beside the student's code: arrays are made here, since only tensors cross the wall."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

_held: dict[str, Any] = {}
"""An array and the tensor that was made of it, between two calls of one check."""


class Exported:
    """Memory of another library, which speaks DLPack and nothing else."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def __dlpack__(self, **settings: Any) -> Any:
        return self._tensor.__dlpack__(**settings)

    def __dlpack_device__(self) -> Any:
        return self._tensor.__dlpack_device__()


def _laid_out(numbers: np.ndarray, layout: str) -> np.ndarray:
    """An array of these numbers that lies in memory in this way."""
    rows, columns = numbers.shape or (1, 1)
    match layout:
        case "transposed":
            return np.ascontiguousarray(numbers.T).T
        case "every second column":
            wide = np.zeros((rows, 2 * columns), dtype=numbers.dtype)
            wide[:, ::2] = numbers
            return wide[:, ::2]
        case "every third row":
            tall = np.zeros((3 * rows, columns), dtype=numbers.dtype)
            tall[::3] = numbers
            return tall[::3]
        case "part of a larger table":
            large = np.zeros((rows + 2, columns + 3), dtype=numbers.dtype)
            large[1:-1, 2:-1] = numbers
            return large[1:-1, 2:-1]
        case "rows reversed":
            return np.ascontiguousarray(numbers[::-1])[::-1]
        case "columns reversed":
            return np.ascontiguousarray(numbers[:, ::-1])[:, ::-1]
        case "turned by rot90":
            return np.rot90(np.ascontiguousarray(np.rot90(numbers, -1)))
        case "the other byte order":
            return numbers.astype(numbers.dtype.newbyteorder("S"))
        case "field":
            records = np.zeros(numbers.shape, dtype=[("number", numbers.dtype), ("count", np.int16)])
            records["number"] = numbers
            return records["number"]
    return numbers.copy()


def _given(notebook: Any, array: Any) -> Tensor:
    tensor = notebook.share(array)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"share returned a value of type {type(tensor).__name__}; expected a Tensor")
    return tensor


def _sent(tensor: Tensor) -> Tensor:
    """A tensor that may cross the wall: uint16 does not."""
    return tensor.long() if tensor.dtype is torch.uint16 else tensor


def hold(notebook: Any, numbers: Tensor, dtype: str, layout: str = "") -> Tensor:
    """Share an array of these numbers, and keep both."""
    _held["array"] = _laid_out(numbers.numpy().astype(dtype), layout)
    _held["tensor"] = _given(notebook, _held["array"])
    return _sent(_held["tensor"])


def hold_exported(notebook: Any, numbers: Tensor, layout: str = "") -> Tensor:
    """Share memory of another library, and keep an array that lies in it."""
    memory = torch.from_numpy(_laid_out(numbers.numpy().astype("float32"), layout))
    _held["array"] = memory.numpy()
    _held["tensor"] = _given(notebook, Exported(memory))
    return _held["tensor"]


def write_tensor(_: Any, numbers: Tensor) -> Tensor:
    """Write into the tensor: the array as it is now."""
    _held["tensor"].copy_(numbers)
    return _sent(torch.from_numpy(_held["array"].copy()))


def write_array(_: Any, numbers: Tensor) -> Tensor:
    """Write into the array: the tensor as it is now."""
    _held["array"][...] = numbers.numpy()
    return _sent(_held["tensor"])


def array_now(_: Any) -> Tensor:
    """The numbers of the array as it is now, in native byte order."""
    return torch.from_numpy(_held["array"].astype(_held["array"].dtype.newbyteorder("="), order="C", copy=True))


def byte_by_byte(_: Any) -> Tensor:
    """The bytes of the tensor's numbers, row by row."""
    return _held["tensor"].contiguous().view(torch.uint8)
