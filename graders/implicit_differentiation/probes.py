"""Equations that cross into the jail by name, and what is measured beside the student's code. Nothing here is secret."""

# ruff: noqa: N806 - names of the mathematics
import ctypes
import gc
from typing import Any

import torch
from torch import Tensor

_posed: list[Tensor] = []
_calls = 0


def pose(_: Any, *numbers: Tensor) -> None:
    """Set the numbers of :func:`equation` (A, K, U, rows and columns) for the rest of the check."""
    _posed[:] = numbers


def help_out(notebook: Any) -> None:
    """Replace ``vjp_of_solve`` for the rest of this process."""
    notebook.vjp_of_solve = lambda matrix, cotangent: torch.linalg.solve(matrix.T, cotangent)


def equation(x: Tensor, y: Tensor) -> Tensor:
    """``rows * (A z + K sin(z) - U sin(x))`` with ``z = y / columns``, and the numbers posed."""
    global _calls  # noqa: PLW0603 - the count is of this process, which is one check's
    _calls += 1
    A, K, U, rows, columns = (number.to(y) for number in _posed)
    z = y / columns
    return rows * (A @ z + K @ z.sin() - U @ x.sin())


def cubic(x: Tensor, y: Tensor) -> Tensor:
    """``rows * (A z + z ** 3 - (1 + sin(z) / 5) * (U x))`` with ``z = y / columns``, and the numbers posed; K is not used."""
    A, _, U, rows, columns = (number.to(y) for number in _posed)
    z = y / columns
    return rows * (A @ z + z**3 - (1 + z.sin() / 5) * (U @ x))


def calls(_: Any) -> int:
    """How often :func:`equation` was called so far."""
    return _calls


def circle(x: Tensor, y: Tensor) -> Tensor:
    """The unit circle."""
    return x * x + y * y - 1


def regular(x: Tensor, y: Tensor) -> Tensor:
    """Two equations with one solution, y = (x, 0): dF/dy is [[1, 1], [1, 2]]."""
    return torch.stack([y[0] + y[1], y[0] + 2 * y[1]]) - x[0]


def equal_rows(x: Tensor, y: Tensor) -> Tensor:
    """Two equations that say the same: dF/dy is [[1, 1], [1, 1]]."""
    return torch.stack([y[0] + y[1], y[0] + y[1]]) - x[0]


def empty_row(x: Tensor, y: Tensor) -> Tensor:
    """Two equations, of which the second says nothing about y: dF/dy is [[1, 2], [0, 0]]."""
    return torch.stack([y[0] + 2 * y[1] - x[0], 0 * y[0] + x[1]])


def call(notebook: Any, x: Tensor, y0: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Solve :func:`equation`: the solution (detached), and x and y0 as they are after the call."""
    y = notebook.solve_implicit(equation, x, y0)
    return y.detach(), x, y0


def asks_for_gradient(notebook: Any, x: Tensor, y0: Tensor) -> bool:
    """Whether the solution needs a gradient, or x does after the call."""
    return bool(notebook.solve_implicit(equation, x, y0).requires_grad or x.requires_grad)


def held(notebook: Any, x: Tensor, y0: Tensor) -> int:
    """Bytes that a call leaves allocated as long as its result lives: what is kept for the backward pass.

    Saved-tensor hooks would see them too, but ``torch.func.vjp`` and ``jacrev`` refuse to run under those.
    """
    notebook.solve_implicit(equation, x, y0)  # what is set up once, at first use, is not held for a backward pass
    gc.collect()
    before = _allocated()
    y = notebook.solve_implicit(equation, x, y0)
    gc.collect()
    after = _allocated()
    del y
    return after - before


class _Mallinfo(ctypes.Structure):
    """glibc's ``struct mallinfo2``; see mallinfo(3)."""

    _fields_ = (
        ("arena", ctypes.c_size_t),
        ("ordblks", ctypes.c_size_t),
        ("smblks", ctypes.c_size_t),
        ("hblks", ctypes.c_size_t),
        ("hblkhd", ctypes.c_size_t),
        ("usmblks", ctypes.c_size_t),
        ("fsmblks", ctypes.c_size_t),
        ("uordblks", ctypes.c_size_t),
        ("fordblks", ctypes.c_size_t),
        ("keepcost", ctypes.c_size_t),
    )


def _allocated() -> int:
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)
