"""The span of each storage is copied once, and every tensor becomes a view of the copy.

Why: a tensor is a storage with an offset, a shape and strides, and what shares memory has one storage. So the storage decides who belongs
    together, and no tensor's own address. Its span, from the first to the last element that any of them uses, is copied as a row of
    numbers; with its own strides, and its offset less that of the span, each tensor is in the copy what it was. Strides of 0 stay as well.
    torch.save then keeps apart what it finds in other storages, and writes each once. Empty tensors use nothing, wherever they begin.
"""

import os

import torch
from torch import Tensor


def stop_of(tensor: Tensor) -> int:
    """One more than the index of the last element that a tensor uses."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.storage_offset() + last + 1


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    ends = {}
    for tensor in tensors.values():
        if tensor.numel():
            memory = tensor.untyped_storage().data_ptr()
            ends.setdefault(memory, []).extend((tensor.storage_offset(), stop_of(tensor)))
    copies, compact = {}, {}
    for name, tensor in tensors.items():
        if not tensor.numel():
            compact[name] = torch.empty(tensor.shape, dtype=tensor.dtype)
            continue
        memory = tensor.untyped_storage().data_ptr()
        start, stop = min(ends[memory]), max(ends[memory])
        if memory not in copies:
            copies[memory] = tensor.as_strided((stop - start,), (1,), start).clone()
        compact[name] = copies[memory].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - start)
    torch.save(compact, path)
