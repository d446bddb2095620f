"""Copies the span as bytes, by way of NumPy, and reads it with frombuffer."""

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
        if tensor.numel() > 0:
            spans.setdefault(tensor.untyped_storage().data_ptr(), []).append((tensor.storage_offset(), stop_of(tensor)))
    buffers = {}
    for tensor in tensors.values():
        key = tensor.untyped_storage().data_ptr()
        if tensor.numel() > 0 and key not in buffers:
            start, stop = min(a for a, _ in spans[key]), max(b for _, b in spans[key])
            row = tensor.as_strided((stop - start,), (1,), start).contiguous()
            data = bytearray(row.view(torch.uint8).numpy().tobytes())
            buffers[key] = torch.frombuffer(data, dtype=tensor.dtype), start
    compact = {}
    for name, tensor in tensors.items():
        if tensor.numel() == 0:
            compact[name] = torch.zeros(tensor.shape, dtype=tensor.dtype)
        else:
            buffer, start = buffers[tensor.untyped_storage().data_ptr()]
            compact[name] = buffer.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - start)
    torch.save(compact, path)
