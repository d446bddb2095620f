"""The addresses of the first and the last element say where a tensor lies; the file is written from a buffer."""

import io
import os

import torch
from torch import Tensor


def corners(t: Tensor) -> tuple[int, int]:
    first, last = t[(0,) * t.dim()], t[(-1,) * t.dim()]
    return first.storage_offset(), last.storage_offset()


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    lows, highs = {}, {}
    filled = {name: t for name, t in tensors.items() if t.numel() > 0}
    for t in filled.values():
        low, high = corners(t)
        key = t.untyped_storage().data_ptr()
        lows[key] = min(lows.get(key, low), low)
        highs[key] = max(highs.get(key, high), high)
    blocks = {}
    for t in filled.values():
        key = t.untyped_storage().data_ptr()
        if key not in blocks:
            whole = t.as_strided((highs[key] + 1,), (1,), 0)
            blocks[key] = whole[lows[key] :].clone()
    out = {}
    for name, t in tensors.items():
        key = t.untyped_storage().data_ptr()
        out[name] = (
            torch.as_strided(blocks[key], t.size(), t.stride(), t.storage_offset() - lows[key])
            if name in filled
            else torch.zeros_like(t, memory_format=torch.contiguous_format)
        )
    buffer = io.BytesIO()
    torch.save(out, buffer)
    with open(path, "wb") as file:
        file.write(buffer.getvalue())
