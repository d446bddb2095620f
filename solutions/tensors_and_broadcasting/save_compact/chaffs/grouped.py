"""Saves the tensors storage by storage, in that order.

Fails: test_loaded
Says: the keys are in another order, since tensors of one memory are saved together
"""

import os

import torch
from torch import Tensor


def stop_of(tensor: Tensor) -> int:
    """One more than the index of the last element that a tensor uses."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.storage_offset() + last + 1


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    groups = {}
    for name, tensor in tensors.items():
        groups.setdefault(tensor.untyped_storage().data_ptr(), {})[name] = tensor
    compact = {}
    for group in groups.values():
        filled = [tensor for tensor in group.values() if tensor.numel()]
        start = min((tensor.storage_offset() for tensor in filled), default=0)
        stop = max((stop_of(tensor) for tensor in filled), default=0)
        copy = None
        for name, tensor in group.items():
            if not tensor.numel():
                compact[name] = torch.empty(tensor.shape, dtype=tensor.dtype)
                continue
            if copy is None:
                copy = tensor.as_strided((stop - start,), (1,), start).clone()
            compact[name] = copy.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - start)
    torch.save(compact, path)
