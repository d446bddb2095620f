"""Tensors with equal numbers are saved once.

Fails: test_apart
Says: tensors with equal numbers are taken to be one
"""

import os

import torch
from torch import Tensor


def stop_of(tensor: Tensor) -> int:
    """One more than the index of the last element that a tensor uses."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.storage_offset() + last + 1


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    spans = {}
    for tensor in tensors.values():
        if tensor.numel():
            memory = tensor.untyped_storage().data_ptr()
            start, stop = spans.get(memory, (tensor.storage_offset(), 0))
            spans[memory] = min(start, tensor.storage_offset()), max(stop, stop_of(tensor))
    copies, compact = {}, {}
    for name, tensor in tensors.items():
        if not tensor.numel():
            compact[name] = torch.empty(tensor.shape, dtype=tensor.dtype)
            continue
        memory = tensor.untyped_storage().data_ptr()
        start, stop = spans[memory]
        if memory not in copies:
            copies[memory] = tensor.as_strided((stop - start,), (1,), start).clone()
        compact[name] = copies[memory].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - start)
    for name, tensor in compact.items():
        for other in compact.values():
            if tensor.dtype == other.dtype and torch.equal(tensor, other):
                compact[name] = other
                break
    torch.save(compact, path)
