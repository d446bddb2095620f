"""A storage that is used from end to end is saved as it is; others are trimmed."""

import os

import torch
from torch import Tensor


def stop_of(tensor: Tensor) -> int:
    """One more than the index of the last element that a tensor uses."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.storage_offset() + last + 1


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    by_storage = {}
    for name, tensor in tensors.items():
        by_storage.setdefault(tensor.untyped_storage().data_ptr(), {})[name] = tensor
    compact = dict(tensors)
    for group in by_storage.values():
        filled = {name: tensor for name, tensor in group.items() if tensor.numel()}
        for name in group.keys() - filled.keys():
            compact[name] = torch.empty(group[name].shape, dtype=group[name].dtype)
        if not filled:
            continue
        some = next(iter(filled.values()))
        start = min(tensor.storage_offset() for tensor in filled.values())
        stop = max(stop_of(tensor) for tensor in filled.values())
        if (stop - start) * some.element_size() == some.untyped_storage().nbytes():
            continue
        copy = some.as_strided((stop - start,), (1,), start).clone()
        for name, tensor in filled.items():
            compact[name] = copy.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - start)
    torch.save(compact, path)
