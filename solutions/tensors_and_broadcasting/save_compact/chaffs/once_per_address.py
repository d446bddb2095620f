"""One clone for each data_ptr.

Fails: test_expanded, test_shared (shape)
Says: tensors are told apart by data_ptr, but a row may begin where its matrix does
"""

import os

import torch
from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    clones, compact = {}, {}
    for name, tensor in tensors.items():
        if tensor.data_ptr() not in clones:
            clones[tensor.data_ptr()] = tensor.clone()
        compact[name] = clones[tensor.data_ptr()]
    torch.save(compact, path)
