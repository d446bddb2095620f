"""Tensors that lie in each other's memory are made here, beside the student's code, since copies cross the wall.

A *place* is ``(size, stride, offset)``: how a tensor lies on a page, which is a long row of numbers.
"""

from typing import Any

from torch import Tensor

Place = tuple[list[int], list[int], int]

_pages: list[Tensor] = []


def written(notebook: Any, page: Tensor, place: Place, a: Tensor, b: Tensor) -> Tensor:
    """The page, after ``a + b`` was written into a place of it."""
    page = page.clone()  # what came over the wall cannot be resized, and hides whether somebody tries
    notebook.add_into(page.as_strided(*place), a, b)
    return page


def overlapping(notebook: Any, page: Tensor, places: list[Place], which: list[int]) -> Tensor:
    """The page, after a call whose three tensors all lie on it: ``which`` place each of ``out``, ``a`` and ``b`` has."""
    page = page.clone()
    tensors = [page.as_strided(*place) for place in places]
    notebook.add_into(*(tensors[index] for index in which))
    return page


def attempt(notebook: Any, page: Tensor, place: Place, a: Tensor, b: Tensor) -> None:
    """A call that should raise. :func:`left` shows the page after it."""
    page = page.clone()
    _pages[:] = [page]
    notebook.add_into(page.as_strided(*place), a, b)


def left(_: Any) -> Tensor:
    """The page that the last attempt had."""
    return _pages[0]
