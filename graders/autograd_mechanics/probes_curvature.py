"""Functions that cross into the jail by name, with numbers that were posed before. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor

_posed: list[Tensor] = []


def pose(_: Any, *numbers: Tensor) -> None:
    """Set the numbers (A, B, K, w; or two single ones) of the functions below, for the rest of the check."""
    _posed[:] = numbers


def pose_weights(_: Any, *numbers: Tensor) -> None:
    """Like :func:`pose`, for numbers that need a gradient."""
    _posed[:] = [number.detach().clone().requires_grad_() for number in numbers]


def curved_u(x: Tensor) -> Tensor:
    """``tanh`` of a quarter of ``A sin(x) + (B x)² / 2``: its backward pass reads its result."""
    return ((_posed[0] @ x.sin() + (_posed[1] @ x) ** 2 / 2) / 4).tanh()


def linear_u(x: Tensor) -> Tensor:
    """``A x``."""
    return _posed[0] @ x


def curved_g(y: Tensor) -> Tensor:
    """The sum of ``(K y)³ / 3``, and ``w y``."""
    return ((_posed[2] @ y) ** 3).sum() / 3 + _posed[3] @ y


def linear_g(y: Tensor) -> Tensor:
    """``w y``."""
    return _posed[3] @ y


def wide_u(x: Tensor) -> Tensor:
    """As many numbers as ``x`` has, each made of two neighbours."""
    return _posed[0] * x.sin() + x * x.roll(1)


def wide_g(y: Tensor) -> Tensor:
    """One number, made of neighbours and cubes."""
    return (y * y.roll(1)).sum() + _posed[1] * (y**3).sum()


def called(notebook: Any, x: Tensor, v: Tensor, where: str) -> tuple[Tensor, Tensor, Tensor]:
    """The three results, detached, of a call under ``no_grad``, or with an ``x`` that needs a gradient."""
    if where == "under no_grad":
        with torch.no_grad():
            results = notebook.curvature(curved_g, curved_u, x, v)
    else:
        x = x.detach().clone().requires_grad_()
        results = notebook.curvature(curved_g, curved_u, x * 1 if where == "x is not a leaf" else x, v)
    return tuple(result.detach() for result in results)


def traces(notebook: Any, x: Tensor, v: Tensor, needs: bool, *numbers: Tensor) -> tuple[list[bool], list[str], list[str]]:
    """Which results need a gradient, and whose ``.grad`` and ``requires_grad`` are others after the call.

    ``needs`` says whether ``x`` and the numbers inside g and u need a gradient.
    """
    weights = [number.detach().clone().requires_grad_(needs) for number in numbers]
    named = [("x", x.detach().clone().requires_grad_(needs)), ("v", v.detach().clone())]
    named += [(f"a weight of {name}", weight) for name, weight in zip("uugg", weights, strict=True)]
    for _, tensor in named:
        tensor.grad = torch.ones_like(tensor)
    flags = [tensor.requires_grad for _, tensor in named]
    pose(None, *weights)
    results = notebook.curvature(curved_g, curved_u, named[0][1], named[1][1])
    needing = [bool(result.requires_grad) for result in results]
    changed = [name for name, tensor in named if tensor.grad is None or not bool((tensor.grad == 1).all())]
    flagged = [name for (name, tensor), flag in zip(named, flags, strict=True) if tensor.requires_grad != flag]
    return needing, changed, flagged
