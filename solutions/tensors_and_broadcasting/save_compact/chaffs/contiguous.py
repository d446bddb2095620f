"""contiguous() copies what is not contiguous, and a row is.

Fails: test_two_rows, test_size, test_expanded, test_shared (values)
Says: contiguous() is expected to copy, but a row of a matrix is contiguous already
"""

import os

import torch
from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    torch.save({name: tensor.contiguous() for name, tensor in tensors.items()}, path)
