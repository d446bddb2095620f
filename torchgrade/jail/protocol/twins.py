"""Tensors that both sides of the wall have: a layer's parameters and their twins here, an optimizer's tensors and theirs there.

    judge     news of its twins  ──►  written into the worker's, then the call
    worker    the call, then     ──►  news of its twins, written into the judge's

Changes are found by comparing numbers, not by autograd's counter of changes, which ``p.data.add_(...)`` leaves alone. So each
side keeps a copy of what both had when they last spoke.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from torchgrade.jail.protocol.values import MAX_RANK, MAX_SIZE, WireError, alike, decode, encode, refuse

_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_LARGE = 20_000


class Twin:
    """One such tensor, as this side has it; ``weak`` if it is to be let go together with whatever holds it."""

    __slots__ = ("_get", "_gradient", "_numbers", "_version", "_wanted")

    def __init__(self, tensor: torch.Tensor, *, weak: bool) -> None:
        self._get: Callable[[], torch.Tensor | None] = weakref.ref(tensor) if weak else lambda: tensor
        self.agreed(tensor)

    @property
    def tensor(self) -> torch.Tensor | None:
        """The tensor; ``None`` if it was let go."""
        return self._get()

    def agreed(self, tensor: torch.Tensor) -> None:
        """Remember that the other side now has what this side has."""
        self._numbers = _copy(tensor)
        self._gradient = None if tensor.grad is None else _copy(tensor.grad)
        self._wanted, self._version = tensor.requires_grad, tensor._version  # noqa: SLF001 - torch has no other name for it

    def news(self, tensors: list[torch.Tensor]) -> dict[str, Any] | None:
        """Give what has changed since both sides agreed, as data for the other one; ``None`` if nothing has."""
        tensor = self._get()
        if tensor is None:
            return None
        gradient, found = tensor.grad, {}
        if not _same(tensor, self._numbers):
            found["data"] = _encode_plain(tensor, tensors)
            # Written through .data, behind autograd's back, as gradcheck does: so there, too, or a backward pass would refuse.
            found["quiet"] = tensor._version == self._version  # noqa: SLF001
        if not (gradient is self._gradient is None) and not _same(gradient, self._gradient):
            found["grad"] = None if gradient is None else _encode_plain(gradient, tensors)
        if tensor.requires_grad is not self._wanted:
            found["wants"] = tensor.requires_grad
        if not found:
            return None
        self.agreed(tensor)
        return found

    def hear(self, news: dict[str, Any], tensors: list[torch.Tensor], *, form: bool = False) -> None:
        """Take over what changed on the other side. With ``form``, a new shape, dtype or device raises :class:`WireError`."""
        tensor = self._get()
        if tensor is None:
            return
        if "data" in news:
            numbers = _decode_plain(news["data"], tensors)
            with torch.no_grad():
                if alike(numbers, tensor):
                    if numbers.device.type != "meta":
                        (tensor.data if news.get("quiet") is True else tensor).copy_(numbers)
                elif form:
                    raise WireError("a tensor of the grader's turned into one of another shape, dtype or device")
                else:
                    tensor.data = numbers
        if "grad" in news:
            gradient = None if news["grad"] is None else _decode_plain(news["grad"], tensors)
            if gradient is not None and not alike(gradient, tensor):
                raise WireError("a gradient of another shape, dtype or device than its tensor")
            if gradient is None or tensor.grad is None:
                tensor.grad = gradient
            else:
                tensor.grad.copy_(gradient)
        if "wants" in news:
            tensor.requires_grad_(bool(news["wants"]))
        self.agreed(tensor)


def introduced(tensor: torch.Tensor, tensors: list[torch.Tensor]) -> dict[str, Any]:
    """A tensor as data for the side that has no twin of it yet."""
    news = {"data": _encode_plain(tensor, tensors), "wants": tensor.requires_grad}
    news["parameter"] = isinstance(tensor, torch.nn.Parameter)
    if tensor.grad is not None:
        news["grad"] = _encode_plain(tensor.grad, tensors)
    return news


def made(news: dict[str, Any], tensors: list[torch.Tensor]) -> torch.Tensor:
    """The twin of a tensor that was :func:`introduced`. Raises :class:`WireError` for anything impossible."""
    tensor, wants = _decode_plain(news.get("data"), tensors), news.get("wants") is True
    if wants and not (tensor.is_floating_point() or tensor.is_complex()):
        raise WireError("an integer tensor that requires a gradient")
    tensor = torch.nn.Parameter(tensor, requires_grad=wants) if news.get("parameter") is True else tensor.requires_grad_(wants)
    if news.get("grad") is not None:
        gradient = _decode_plain(news["grad"], tensors)
        if not alike(gradient, tensor):
            raise WireError("a gradient of another form than its tensor")
        tensor.grad = gradient
    return tensor


def _encode_plain(tensor: torch.Tensor, tensors: list[torch.Tensor]) -> Any:
    """The numbers of a tensor as data; for a tensor on ``meta``, which has none, its form."""
    if tensor.device.type == "meta":
        return {"$": "meta", "v": list(tensor.shape), "dtype": encode(tensor.dtype, [])}
    return encode(tensor.detach(), tensors)


def _decode_plain(data: Any, tensors: list[torch.Tensor]) -> torch.Tensor:
    """The reverse of :func:`_encode_plain`; the result shares no memory with anything else. Raises :class:`WireError`."""
    if isinstance(data, dict) and data.get("$") == "meta":
        shape, dtype = data.get("v"), decode(data.get("dtype"), [], refuse)
        if not isinstance(dtype, torch.dtype) or not isinstance(shape, list) or len(shape) > MAX_RANK:
            raise WireError("a malformed tensor on meta")
        if not all(type(size) is int and 0 <= size < MAX_SIZE for size in shape):
            raise WireError("a malformed tensor on meta")
        return torch.empty(shape, dtype=dtype, device="meta")
    value = decode(data, tensors, refuse)
    if not isinstance(value, torch.Tensor):
        raise WireError("something that is no tensor, where one belongs")
    return value.detach()


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def _same(tensor: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Return whether both hold the same numbers, bit for bit if that is quick."""
    if tensor is None or other is None or not alike(tensor, other):
        return False
    if tensor.device.type == "meta":
        return True
    word = _WORDS.get(tensor.element_size())
    plain = tensor.device.type == "cpu" and tensor.is_contiguous() and other.is_contiguous()
    if tensor.numel() < _LARGE or word is None or not plain:
        return torch.equal(tensor.detach(), other)  # not for nan, which costs a message and no more
    # Comparing many numbers takes NumPy a quarter of the time that torch needs.
    return bool(np.array_equal(tensor.detach().view(word).numpy(), other.view(word).numpy()))
