"""Slices the untyped storages, byte by byte, and sets new tensors on the slices."""

import os

import torch
from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    groups = {}
    for name, tensor in tensors.items():
        groups.setdefault(tensor.untyped_storage().data_ptr(), []).append(name)

    trimmed = {}
    for address, names in groups.items():
        first, last = None, 0
        for name in names:
            t = tensors[name]
            if 0 in t.shape:
                continue
            begin = t.storage_offset()
            end = begin + 1
            for size, stride in zip(t.size(), t.stride()):
                end += (size - 1) * stride
            first = begin if first is None else min(first, begin)
            last = max(last, end)
        if first is not None:
            t = tensors[names[0]]
            width = t.element_size()
            trimmed[address] = first, t.untyped_storage()[first * width : last * width].clone()

    result = {}
    for name, t in tensors.items():
        new = torch.empty(0, dtype=t.dtype)
        if 0 in t.shape:
            result[name] = new.reshape(t.shape)
        else:
            first, storage = trimmed[t.untyped_storage().data_ptr()]
            result[name] = new.set_(storage, t.storage_offset() - first, t.shape, t.stride())
    torch.save(result, path)
