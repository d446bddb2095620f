"""Calls that also tell what a result alone does not: what became of the inputs, and how many operations it took.

The same functions run in the jail (for a grader) and in the student's own kernel (for ``check()``), so that both see
the same. In the jail what they report is the worker's word; a check that uses them says so in the record.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from torchgrade.compat.torch import TorchDispatchMode


@dataclasses.dataclass(frozen=True, slots=True)
class Observation:
    """A call's result, the tensors among its arguments as they were after it, and whether result and arguments share memory."""

    result: Any
    arguments: tuple[Any, ...]
    shares_memory: bool


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested lists, tuples and dicts, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


def with_written(gradients: Sequence[torch.Tensor | None], leaves: Sequence[torch.Tensor]) -> tuple[torch.Tensor | None, ...]:
    """Return the gradients as training would see them: with what the differentiated code itself has written to ``.grad``.

    ``torch.autograd.grad`` leaves ``.grad`` alone, and so does not show a backward pass that calls ``.backward()``. What was
    written there is taken away, so that it does not count again.
    """
    found = []
    for gradient, leaf in zip(gradients, leaves, strict=True):
        written, leaf.grad = leaf.grad, None
        found.append(gradient if written is None else written if gradient is None else gradient + written)
    return tuple(found)


def share_memory(results: Any, arguments: Any) -> bool:
    """Return whether any tensor of ``results`` lies in the same storage as any tensor of ``arguments``."""
    held = {storage.data_ptr() for storage in _storages(arguments)}
    return any(storage.data_ptr() in held for storage in _storages(results))


def _storages(value: Any) -> Iterator[torch.UntypedStorage]:
    for tensor in tensors_in(value):
        # An empty tensor has no memory to share, and all of them have the address 0.
        if tensor.layout is torch.strided and tensor.numel() and tensor.device.type != "meta":
            yield tensor.untyped_storage()


class _Counter(TorchDispatchMode):
    """Counts what reaches the dispatcher: one per tensor operation, views included."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count: int = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # torch would otherwise import its compiler (800 modules, 70 MB, a second) at the first operation, only to tell it to
        # leave this method alone; nothing is compiled while operations are counted.
        return False

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


def count_operations(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """How many tensor operations a call takes, backward pass not included."""
    counter = _Counter()
    with counter:
        function(*args, **kwargs)
    return counter.count
