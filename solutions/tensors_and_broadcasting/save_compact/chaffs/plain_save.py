"""torch.save, which writes whole storages.

Fails: test_two_rows, test_size
Says: torch.save writes the whole storage of a view
"""

import os

import torch
from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    torch.save(tensors, path)
