"""Views are made, saved and loaded here, beside the student's code: copies that cross the wall share nothing.

The file itself crosses, as bytes: its size is measured on the other side, and what is loaded comes from these very bytes.
A *view* is ``(key, memory, size, stride, offset)``: how a tensor lies in one of the memories.
"""

import io
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

View = tuple[str, int, list[int], list[int], int]


def _views(memories: list[Tensor], views: list[View]) -> dict[str, Tensor]:
    return {key: memories[index].as_strided(size, stride, offset) for key, index, size, stride, offset in views}


def file_of(notebook: Any, memories: list[Tensor], views: list[View]) -> bytes:
    """The file in which the views were saved; empty where there is none."""
    tensors = _views([memory.clone() for memory in memories], views)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tensors.pt"
        notebook.save_compact(tensors, str(path))
        return path.read_bytes() if path.is_file() else b""


def loaded(_: Any, data: bytes) -> str | tuple[list[str], list[Tensor]]:
    """What is in a file: keys and tensors, or what went wrong."""
    try:
        found = torch.load(io.BytesIO(data), weights_only=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
        return f"raises {type(error).__name__}"
    if not isinstance(found, dict):
        return f"gives a {type(found).__name__}"
    for key, value in found.items():
        if not isinstance(value, Tensor):
            return f"gives a dict with a {type(value).__name__} under the key {key}"
    return list(found), list(found.values())


def written(_: Any, data: bytes, key: str, numbers: Tensor) -> list[Tensor]:
    """All tensors of a file, after numbers were written into one of them."""
    found = torch.load(io.BytesIO(data), weights_only=True)
    found[key].copy_(numbers)
    return list(found.values())


def used(notebook: Any, memories: list[Tensor], views: list[View], numbers: Tensor) -> tuple[bytes, list[Tensor], list[Tensor]]:
    """The file, and the given tensors: after the call, and after numbers were then written into the first memory."""
    memories = [memory.clone() for memory in memories]
    given = _views(memories, views)
    tensors = list(given.values())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tensors.pt"
        notebook.save_compact(given, path)
        data = path.read_bytes() if path.is_file() else b""
    after = [tensor.clone() for tensor in tensors]
    memories[0].copy_(numbers)
    return data, after, tensors
