"""A class for a storage: it is told of all views first, and then asked for each."""

import collections
import os

import torch
from torch import Tensor


class Memory:
    def __init__(self) -> None:
        self.start, self.stop, self.copy = None, 0, None

    def add(self, t: Tensor) -> None:
        reach = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride()))
        offset = t.storage_offset()
        self.start = offset if self.start is None else min(self.start, offset)
        self.stop = max(self.stop, offset + reach)

    def get(self, t: Tensor) -> Tensor:
        if self.copy is None:
            self.copy = torch.empty(self.stop - self.start, dtype=t.dtype)
            self.copy.copy_(t.detach().as_strided(self.copy.shape, (1,), self.start))
        return self.copy.as_strided(t.shape, t.stride(), t.storage_offset() - self.start)


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    memories = collections.defaultdict(Memory)
    for t in tensors.values():
        if t.numel():
            memories[t.untyped_storage().data_ptr()].add(t)
    torch.save({k: memories[t.untyped_storage().data_ptr()].get(t) if t.numel() else t.clone() for k, t in tensors.items()}, path)
