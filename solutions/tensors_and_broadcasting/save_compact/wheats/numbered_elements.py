"""Numbers the elements of each storage, and looks which numbers the views see."""

import os

import torch
from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    def numbers(tensor: Tensor) -> Tensor:
        count = tensor.untyped_storage().nbytes() // tensor.element_size()
        return torch.arange(count).as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    seen = {}
    for tensor in tensors.values():
        if tensor.numel():
            n = numbers(tensor)
            seen.setdefault(tensor.untyped_storage().data_ptr(), []).append((int(n.min()), int(n.max())))
    copies = {}
    compact = {}
    for name, tensor in tensors.items():
        if tensor.numel() == 0:
            compact[name] = torch.empty(tuple(tensor.shape), dtype=tensor.dtype)
            continue
        key = tensor.untyped_storage().data_ptr()
        low, high = min(a for a, _ in seen[key]), max(b for _, b in seen[key])
        if key not in copies:
            copies[key] = tensor.as_strided([high - low + 1], [1], low).clone()
        compact[name] = copies[key].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset() - low)
    torch.save(compact, os.fspath(path))
