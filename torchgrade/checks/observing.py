"""Calls that also tell what a result alone does not: what became of the inputs, and how many operations the call took.

The same functions run in the jail (for a grader) and in the student's own kernel (for ``check()``), so that both see
the same. In the jail, what they report is the worker's word, and a check that uses them says so in the record.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from torchgrade.compat.torch import TorchDispatchMode


@dataclasses.dataclass(frozen=True, slots=True)
class Observation:
    """A call's result, the tensors among its arguments as they were after the call, and the storages of the result's tensors.

    ``shares_memory``: whether a tensor of the result lies in the memory of an argument. ``storages``: one number for each tensor
    of the result, with equal numbers for tensors that lie in one storage.
    """

    result: Any
    arguments: tuple[Any, ...]
    shares_memory: bool
    storages: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Held:
    """A call whose arguments and result are kept where the student's code ran.

    ``write(index, numbers)`` writes into the tensor with this index among its arguments, and returns the result's tensors as they
    are after that.
    """

    result: Any
    write: Callable[[int, torch.Tensor], list[torch.Tensor]]


def tensors_in(value: Any, whole: Callable[[torch.nn.Module], bool] | None = None) -> Iterator[torch.Tensor]:
    """The tensors in nested lists, tuples and dicts, in order; with ``whole``, also those of the modules that it chooses."""
    # Look at their own type: a handle of a student's object tells isinstance whatever that object says about itself.
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        yield value
    elif issubclass(kind, list | tuple):
        for item in value:
            yield from tensors_in(item, whole)
    elif issubclass(kind, dict):
        for item in value.values():
            yield from tensors_in(item, whole)
    elif whole is not None and issubclass(kind, torch.nn.Module) and whole(value):
        yield from value.parameters()
        yield from value.buffers()


def with_tensors(value: Any, tensors: Iterator[Any]) -> Any:
    """Return nested plain lists, tuples and dicts with other tensors put in, in the order of :func:`tensors_in`."""
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        return next(tensors)
    if issubclass(kind, list | tuple):
        return (list if issubclass(kind, list) else tuple)(with_tensors(item, tensors) for item in value)
    if issubclass(kind, dict):
        return {key: with_tensors(item, tensors) for key, item in value.items()}
    return value


def with_written(gradients: Sequence[torch.Tensor | None], leaves: Sequence[torch.Tensor]) -> tuple[torch.Tensor | None, ...]:
    """Return the gradients as training would see them: with what the differentiated code itself has written to ``.grad``.

    ``torch.autograd.grad`` leaves ``.grad`` alone, and so does not show a backward pass that calls ``.backward()``. Whatever
    was written there is taken away, so that it does not count a second time.
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


def storages_of(results: Any) -> tuple[int, ...]:
    """Return a number for each tensor, in order: equal for tensors in one storage, and a separate one for an empty tensor."""
    numbers: dict[int, int] = {}
    tensors = list(tensors_in(results))
    return tuple(
        numbers.setdefault(tensor.untyped_storage().data_ptr() if tensor.numel() else -index, len(numbers))
        for index, tensor in enumerate(tensors, start=1)
    )


def write(value: Any, index: int, numbers: torch.Tensor) -> None:
    """Write numbers into the tensor with this index in ``value``."""
    with torch.no_grad():
        list(tensors_in(value))[index].copy_(numbers)


def _storages(value: Any) -> Iterator[torch.UntypedStorage]:
    for tensor in tensors_in(value):
        # An empty tensor has no memory to share, and all empty tensors have the address 0.
        if tensor.layout is torch.strided and tensor.numel() and tensor.device.type != "meta":
            yield tensor.untyped_storage()


class _Counter(TorchDispatchMode):
    """Counts what reaches the dispatcher: one for each tensor operation, views included."""

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
    """How many tensor operations a call takes, not counting a backward pass."""
    counter = _Counter()
    with counter:
        function(*args, **kwargs)
    return counter.count


class Saved:
    """Tensors that autograd saved for a backward pass, as :func:`saved_for_backward` saw them."""

    def __init__(self, besides: Iterable[torch.Tensor] = ()) -> None:
        self._apart = {storage.data_ptr() for storage in _storages(list(besides))}
        self._kept: list[torch.Tensor] = []

    def keep(self, tensor: torch.Tensor) -> torch.Tensor:
        """Note a tensor, and return what is saved in its place."""
        # An alias: a result that is saved by its own graph would otherwise keep itself alive for ever.
        alias = tensor.detach()
        self._kept.append(alias)
        return alias

    @property
    def numbers(self) -> int:
        """How many numbers were saved."""
        return sum(count for count, _ in self._counted())

    @property
    def bytes(self) -> int:
        """How many bytes the saved numbers take."""
        return sum(count * size for count, size in self._counted())

    def _counted(self) -> Iterator[tuple[int, int]]:
        """For each piece of memory: how many of its numbers were saved, and how many bytes one number takes."""
        pieces: dict[tuple[int, int], dict[tuple[Any, ...], int]] = {}
        room: dict[tuple[int, int], int] = {}
        for tensor in self._kept:
            if tensor.layout is not torch.strided or not tensor.numel():
                continue
            storage, size = tensor.untyped_storage(), tensor.element_size()
            if storage.data_ptr() in self._apart:
                continue
            place = (storage.data_ptr(), size)
            sides = [(length, step) for length, step in zip(tensor.shape, tensor.stride(), strict=True) if step and length > 1]
            view = (tensor.storage_offset(), *sorted(sides))
            pieces.setdefault(place, {})[view] = math.prod(length for length, _ in sides)
            room[place] = storage.nbytes() // size
        for place, views in pieces.items():
            yield min(sum(views.values()), room[place]), place[1]


@contextlib.contextmanager
def saved_for_backward(besides: Iterable[torch.Tensor] = ()) -> Iterator[Saved]:
    """Within this context, count what autograd saves for a backward pass: ``saved.numbers``, ``saved.bytes``.

    Something that is saved several times counts once, and so do several views of the same numbers. The memory of ``besides`` (a
    model's parameters, which are there anyway) does not count. What a ``torch.autograd.Function`` keeps as an attribute of
    ``ctx`` is not seen, and ``torch.func`` raises in this context.
    """
    saved = Saved(besides)
    with torch.autograd.graph.saved_tensors_hooks(saved.keep, lambda alias: alias):
        yield saved
