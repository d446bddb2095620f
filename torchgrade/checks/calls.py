"""Which call a result came from, so that a message can name the case: the shapes, dtypes, layout and options that went in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.observing import tensors_in

_ATTRIBUTE = "_torchgrade_call"
_MOST = 200
_FEW = 4


def note_call(result: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Remember, with each tensor of ``result``, that it came from this call."""
    for tensor in tensors_in(result):
        setattr(tensor, _ATTRIBUTE, (name, tuple(args), dict(kwargs)))


def call_of(tensor: Tensor) -> str:
    """Return the call that gave this very tensor, as in ``softmax(float16 [3, 4], dim=1)``, or an empty string."""
    found = getattr(tensor, _ATTRIBUTE, None)
    return described_call(*found) if found else ""


def described_call(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return a call in words: tensors by dtype, shape and layout, numbers as they are."""
    name = "the function" if name == "<lambda>" else name  # the grader's own function, around the student's
    parts = [described(arg) for arg in args] + [f"{key}={described(value)}" for key, value in kwargs.items()]
    text = f"{name}({', '.join(parts)})"
    return text if len(text) <= _MOST else f"{text[: _MOST - 2]}…)"


def described(value: Any) -> str:
    """Return an argument in a few words."""
    if isinstance(value, Tensor):
        layout = "" if value.is_contiguous() else ", not contiguous"
        return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}{layout}"
    if isinstance(value, list | tuple):
        inner = ", ".join(described(item) for item in value[:_FEW]) + (", …" if len(value) > _FEW else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool | int | str | None):
        return repr(value)
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    return str(getattr(value, "__name__", type(value).__name__))
