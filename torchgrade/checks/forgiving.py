"""A slip is judged by one check and undone for the others: a minus sign, a factor, a mean for a sum, a dimension of size 1.

    student's function, reference, plain arguments ──► the one slip whose undoing makes the student's result right
                                                  ──► the two functions without that slip; otherwise unchanged

All this happens on the grader's side: none of the student's code is run differently, and what has to be undone is found from
one call with arguments that the grader chose. A function that is right, or wrong in another way, stays as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.calls import call_of, note_call
from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.observing import tensors_in

Function = Callable[..., Any]
_LEAST = 4
"""The fewest elements that the reference's result must have: with fewer, a slip may be chance."""
_CLOSE = 2e-3
"""How close, as a share of the largest element, a result must come without its slip: enough for rounding in half precision."""
_SIGNIFICANT = 3
"""Digits of a constant factor: it is estimated from rounded numbers, and a constant that somebody typed has few digits."""


def forgiving(function: Function, reference: Function, *args: Any, **kwargs: Any) -> tuple[Function, Function]:
    """Return ``function`` and ``reference`` without the one slip that ``function`` shows on these arguments.

    Use the pair in checks that look at something else, so that a slip costs only the points of the check that judges it. These
    slips are forgiven: the opposite sign; a constant factor; a size of an argument as a factor (a mean where a sum was asked
    for); a dimension of size 1 that was kept or dropped; one number (mean or sum) in place of many, or many in place of one. The
    dtype and the gradients of ``function`` stay as they are; ``reference`` changes only if a single number has to be compared
    with its mean.

    Choose plain arguments, drawn at random, whose sizes are all different: equal sizes cannot be told apart. ``reference`` takes
    the same arguments and returns a tensor of at least four elements, unless one number is the right result.

    Raises :class:`GraderError` if the reference's result is not a tensor.
    """
    expected = reference(*args, **kwargs)
    if not isinstance(expected, Tensor):
        raise GraderError(f"forgiving: the reference returned {type(expected).__name__}; expected a Tensor")
    try:
        actual = function(*args, **kwargs)
    except StudentFault:
        return function, reference  # the check that calls it next will say so
    if not isinstance(actual, Tensor) or not _is_plain(actual) or not _is_plain(expected):
        return function, reference
    # A different device is for another check to judge, and so is a different dtype.
    got, want = actual.detach().cpu().double(), expected.detach().cpu().double()
    if got.shape == want.shape:
        if _near(got, want) or want.numel() < _LEAST:
            return function, reference
        return _without_factor(function, got, want, (args, kwargs)), reference
    return _without_form(function, reference, got, want)


def _is_plain(tensor: Tensor) -> bool:
    return not tensor.is_complex() and bool(tensor.numel()) and bool(tensor.isfinite().all())


def _near(got: Tensor, want: Tensor) -> bool:
    return got.shape == want.shape and bool((got - want).abs().max() <= _CLOSE * want.abs().max())


def _without_factor(function: Function, got: Tensor, want: Tensor, call: tuple[tuple[Any, ...], dict[str, Any]]) -> Function:
    """The function divided by its factor, if the whole result has one: -1, a size of this call's arguments, or a constant."""
    factor = float((got * want).sum() / (want * want).sum())
    if abs(factor) < torch.finfo(torch.float32).tiny or not _near(got / factor, want):
        return function
    if _alike(factor, -1.0):
        return _changed(function, lambda result, *_: -result)
    for place, size in _sizes(*call):
        for power in (1, -1):
            if size > 1 and _alike(factor, float(size) ** power):
                return _changed(function, functools.partial(_divided_by_a_size, place=place, power=power))
    constant = float(f"{factor:.{_SIGNIFICANT}g}")
    return _changed(function, lambda result, *_: result / constant)


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(other)


def _sizes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[tuple[int, int], int]]:
    """The sizes of a call's tensors, each with the tensor's number and the number of its dimension counted from the end."""
    for number, tensor in enumerate(tensors_in([*args, *kwargs.values()])):
        for dim in range(-1, -tensor.dim() - 1, -1):
            yield (number, dim), tensor.shape[dim]


def _divided_by_a_size(
    result: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], place: tuple[int, int], power: int
) -> Tensor:
    size = dict(_sizes(args, kwargs)).get(place, 1)
    return result / size if power > 0 else result * size


def _without_form(function: Function, reference: Function, got: Tensor, want: Tensor) -> tuple[Function, Function]:
    """The pair, if the shapes differ by dimensions of size 1, or because one result is reduced and the other is not."""
    if [size for size in got.shape if size != 1] == [size for size in want.shape if size != 1]:
        if _near(got.reshape(want.shape), want):
            return _changed(function, functools.partial(_of_the_references_shape, reference=reference)), reference
    elif got.numel() == 1 and want.numel() >= _LEAST:
        if _near(got.reshape(()), want.mean()):
            return _changed(function, functools.partial(_one_number, reference=reference, by_sum=False)), _mean_of(reference)
        if _near(got.reshape(()), want.sum()):
            return _changed(function, functools.partial(_one_number, reference=reference, by_sum=True)), _mean_of(reference)
    elif want.numel() == 1 and got.numel() >= _LEAST:
        for reduced in (Tensor.mean, Tensor.sum):
            if _near(reduced(got).reshape(want.shape), want):
                return _changed(function, lambda result, *_, by=reduced: by(result).reshape(want.shape)), reference
    return function, reference


def _of_the_references_shape(result: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], reference: Function) -> Tensor:
    shape = reference(*args, **kwargs).shape
    return result.reshape(shape) if result.numel() == shape.numel() else result


def _one_number(result: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], reference: Function, *, by_sum: bool) -> Tensor:
    if result.numel() != 1:
        return result
    count = int(reference(*args, **kwargs).numel()) if by_sum else 1
    return result.reshape(()) / (count or 1)


def _mean_of(reference: Function) -> Function:
    @functools.wraps(reference)
    def mean(*args: Any, **kwargs: Any) -> Tensor:
        result: Tensor = reference(*args, **kwargs)
        return result.mean() if result.numel() else result.sum()

    return mean


def _changed(function: Function, change: Callable[..., Tensor]) -> Function:
    """The function with ``change`` applied to each tensor that it returns; each still says from which call it came."""

    def changed(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if not isinstance(result, Tensor):
            return result
        mended = change(result, args, kwargs)
        if call_of(result) and mended is not result:
            note_call(mended, name, args, kwargs)
        return mended

    name = changed.__name__ = getattr(function, "__name__", "your function")
    return changed
