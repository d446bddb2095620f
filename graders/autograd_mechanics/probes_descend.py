"""Losses that cross by name, and starts that are made beside the student's code, where memory and flags can be seen."""

import gc
import weakref
from typing import Any

import torch
from torch import Tensor

LIMIT = 4
"""Graphs that may be alive in a call of the loss: this step's and the last one's, with room for two calls in each."""

_posed: list[Tensor] = []
_alive: weakref.WeakSet["_Token"] = weakref.WeakSet()
_leaves: list[bool] = []
_counts: list[int] = []


def pose(_: Any, *numbers: Tensor) -> None:
    """Set the numbers of :func:`valley` (a, b and c) for the calls that follow."""
    _posed[:] = numbers


def valley(w: Tensor) -> Tensor:
    """``sum(a * w ** 2 / 2 + cos(b * w + c))``, with the numbers posed."""
    a, b, c = (number.to(w.dtype) for number in _posed)
    return (a * w * w / 2 + (b * w + c).cos()).sum()


def noted(w: Tensor) -> Tensor:
    """:func:`valley`, with a note of what kind of tensor it was given."""
    _leaves.append(bool(w.is_leaf and w.requires_grad))
    return valley(w)


def counted(w: Tensor) -> Tensor:
    """:func:`valley`, with a count of the graphs that are alive."""
    loss = valley(_Marked.apply(w))
    if len(_alive) > LIMIT:
        gc.collect()  # what only a cycle of references holds is nobody's mistake
    _counts.append(len(_alive))
    return loss


def leaves(notebook: Any, start: Tensor, steps: int, lr: float) -> list[bool]:
    """Whether each call of the loss was given a leaf that needs a gradient."""
    _leaves.clear()
    notebook.descend(noted, start, steps=steps, lr=lr)
    return list(_leaves)


def graphs(notebook: Any, start: Tensor, steps: int, lr: float) -> list[int]:
    """How many graphs were alive in each call of the loss, its own among them."""
    _alive.clear()
    _counts.clear()
    notebook.descend(counted, start, steps=steps, lr=lr)
    return list(_counts)


def attached(notebook: Any, start: Tensor, steps: int, lr: float) -> list[bool]:
    """Whether the path needs a gradient, and the losses."""
    return [bool(getattr(result, "requires_grad", False)) for result in notebook.descend(valley, start, steps=steps, lr=lr)]


def after_plain(notebook: Any, start: Tensor, lr: float, dtype: torch.dtype) -> tuple[Tensor, bool, bool]:
    """A start that needs no gradient, after the call: its numbers, its flag, whether it has a ``.grad``."""
    start = start.clone()
    notebook.descend(valley, start, steps=2, lr=lr, dtype=dtype)
    return start.detach().clone(), start.requires_grad, start.grad is not None


def after_view(notebook: Any, page: Tensor, lr: float) -> tuple[Tensor, bool]:
    """A page, one row of which was the start: its numbers, and its flag or the row's."""
    page = page.clone()
    row = page[1]
    notebook.descend(valley, row, steps=2, lr=lr)
    return page.detach().clone(), page.requires_grad or row.requires_grad


def after_computed(
    notebook: Any, page: Tensor, factor: Tensor, grad: Tensor, cotangent: Tensor, lr: float
) -> tuple[Tensor, bool, Tensor | None, bool, Tensor | None]:
    """A leaf from which the start was computed: its numbers, flag and ``.grad`` after the call; then whether the start still
    needs a gradient, and the leaf's ``.grad`` after a backward pass from the start.
    """
    page = page.clone().requires_grad_()
    page.grad = grad.clone()
    start = page[1] * factor
    notebook.descend(valley, start, steps=2, lr=lr)
    left = None if page.grad is None else page.grad.clone()
    state = page.detach().clone(), page.requires_grad, left, start.requires_grad
    if start.requires_grad:
        start.backward(cotangent)
    return *state, page.grad


class _Token:
    """Lives as long as a graph does."""


class _Marked(torch.autograd.Function):
    """The same numbers, with a token on the graph."""

    @staticmethod
    def forward(w: Tensor) -> Tensor:
        return w.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:  # noqa: ARG004 - torch names them
        ctx.token = _Token()
        _alive.add(ctx.token)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> Tensor:  # noqa: ARG004 - likewise
        return cotangent
