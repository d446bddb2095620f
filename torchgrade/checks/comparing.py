"""Comparing numbers. A failure says how many elements are wrong, how far off and where, after which call, and in what pattern."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.assertions import assert_shape, assert_tensor, name_of, of_call
from torchgrade.checks.mismatch import mismatch
from torchgrade.checks.notes import measured, tolerance_used
from torchgrade.checks.patterns import pattern_of
from torchgrade.checks.slips import Hint, by_slip, fail

ULPS = 32.0
"""The default tolerance in units of ``eps(precision) * scale``: room for doing the same few operations in another order."""


def assert_close(
    actual: Any,
    expected: Tensor,
    *,
    scale: float | Tensor = 1.0,
    ulps: float = ULPS,
    precision: torch.dtype = torch.float32,
    what: str = "the result",
    hint: Hint = "",
) -> None:
    """Fail unless ``|actual - expected| <= ulps * eps(precision) * scale`` for every element.

    ``expected`` is best computed in float64. ``scale`` is the natural size of the rounding errors of a correct answer
    (a number, or a tensor that broadcasts to ``expected``); write down where it comes from. ``precision`` is the dtype
    that a correct answer is computed in. Infinities and nans must be exactly where ``expected`` has them. Integers and
    booleans must be equal. Dtypes are left to another check (:func:`assert_dtype`).

    ``hint`` is one sentence, shown if the numbers are wrong, or a mapping from slips to sentences: ``{"sign": ...}``.
    """
    __tracebackhide__ = True
    other = by_slip(hint)
    actual = assert_tensor(actual, what=what, hint=other)
    assert_shape(actual, expected.shape, what=what, hint=other)
    if actual.device != expected.device:
        expected = expected.to(actual.device)
    if not (expected.is_floating_point() or expected.is_complex()):
        if actual.is_floating_point() or actual.is_complex():
            fail(f"{what} has dtype {name_of(actual.dtype)}; expected {name_of(expected.dtype)}{of_call(actual)}", "dtype", other)
        _report(actual != expected, actual, expected, None, None, what, hint)
        return
    if not (actual.is_floating_point() or actual.is_complex()):
        fail(f"{what} has dtype {name_of(actual.dtype)}; expected floating-point numbers{of_call(actual)}", "dtype", other)
    wide = torch.complex128 if actual.is_complex() or expected.is_complex() else torch.float64
    got, want = actual.detach().to(wide), expected.detach().to(wide)
    error = (got - want).abs()
    allowed = torch.as_tensor(scale, dtype=torch.float64, device=got.device) * (ulps * torch.finfo(precision).eps)
    same = (got == want) | (got.isnan() & want.isnan())  # the difference of equal infinities is nan
    if error.numel():
        # Before the verdict: an audit also wants to know how far a wrong answer is from the right one.
        used = torch.where(same, 0.0, error / allowed)
        tolerance_used(float(used.nan_to_num(nan=torch.inf).max()))
    _report(~(same | (error <= allowed)), actual, expected, error, allowed, what, hint)


def _report(
    wrong: Tensor, actual: Tensor, expected: Tensor, error: Tensor | None, allowed: Tensor | None, what: str, hint: Hint
) -> None:
    """Fail if any element is ``wrong``. ``error``: how far off each is, ``allowed``: how far it may be; ``None`` for integers."""
    __tracebackhide__ = True
    count = int(wrong.sum())
    if count == 0:
        return
    if wrong.dim():
        measured("mismatch", mismatch(wrong, error))
    if error is None:
        worst = int(wrong.flatten().to(torch.uint8).argmax())
    else:
        # A nan or an infinity in the place of a number is worse than any finite error.
        worst = int(error.nan_to_num(nan=torch.inf).masked_fill(~wrong, -1.0).flatten().argmax())
    position = tuple(int(i) for i in torch.unravel_index(torch.tensor(worst), wrong.shape)) if wrong.dim() else ()
    got, want = actual.detach().flatten()[worst].item(), expected.detach().flatten()[worst].item()
    where = f" at index [{', '.join(map(str, position))}]" if position else ""
    share = "" if wrong.numel() == 1 else f" {count} of {wrong.numel()} elements are wrong; the largest error is"
    middle = f":{share}{where}" if share else f" is wrong{where}"
    off = ""
    if error is not None and allowed is not None:
        off = _distance(float(error.flatten()[worst]), float(allowed.expand(wrong.shape).flatten()[worst]))
    left, right = told_apart(got, want)
    slip, pattern = _slip(actual, expected, error, allowed)
    what = what.rstrip(",") if share else what  # "the loss for m = 6, is wrong", but "the loss for m = 6: 3 of 6 elements ..."
    text = f"{what}{middle}: {left} instead of {right}{off}"
    fail(f"{text}{f'. {pattern}' if pattern else ''}{of_call(actual)}", slip, hint)


def _slip(actual: Tensor, expected: Tensor, error: Tensor | None, allowed: Tensor | None) -> tuple[str, str]:
    got, want = actual.detach(), expected.detach()
    if error is not None and bool((~got.isfinite() & want.isfinite()).any()):
        count = int((~got.isfinite() & want.isfinite()).sum())
        are = "element is" if count == 1 else "elements are"
        return "nan", "" if got.numel() == 1 else f"{count} {are} nan or infinite where a number belongs"
    wide = torch.complex128 if got.is_complex() or want.is_complex() else torch.float64
    room = torch.zeros((), dtype=torch.float64, device=got.device) if allowed is None else allowed
    found = pattern_of(got.to(wide), want.to(wide), room)
    return (found[0], found[1].rstrip(".")) if found else ("values", "")


def _distance(error: float, allowed: float) -> str:
    return f" (off by {error:.3g}; {allowed:.2g} is allowed)" if error < float("inf") else ""


def told_apart(one: Any, other: Any) -> tuple[str, str]:
    """Return two numbers, each with at least 7 digits and with enough for different numbers to look different."""
    if not (isinstance(one, float) and isinstance(other, float)):
        return str(one), str(other)
    for digits in range(7, 18):
        left, right = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if left != right:
            break
    return left, right
