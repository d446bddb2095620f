"""All spans of a dtype go into one pool, one behind the other."""

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
            key = tensor.untyped_storage().data_ptr()
            start, stop, _ = spans.get(key, (tensor.storage_offset(), 0, tensor))
            spans[key] = min(start, tensor.storage_offset()), max(stop, stop_of(tensor)), tensor
    pieces, places = {}, {}
    for key, (start, stop, tensor) in spans.items():
        pool = pieces.setdefault(tensor.dtype, [])
        places[key] = sum(len(piece) for piece in pool) - start
        pool.append(tensor.as_strided((stop - start,), (1,), start))
    pools = {dtype: torch.cat(pool) for dtype, pool in pieces.items()}
    compact = {}
    for name, tensor in tensors.items():
        if tensor.numel():
            place = tensor.storage_offset() + places[tensor.untyped_storage().data_ptr()]
            compact[name] = pools[tensor.dtype].as_strided(tensor.shape, tensor.stride(), place)
        else:
            compact[name] = tensor.new_empty(tensor.shape)
    torch.save(compact, path)
