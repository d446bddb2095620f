"""Comparisons for graders. Each failure is a sentence for the student: how many elements, how far off, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.faults import with_article
from torchgrade.checks.mismatch import mismatch
from torchgrade.checks.notes import measured, rests_on_word, tolerance_used
from torchgrade.checks.observing import tensors_in

ULPS = 32.0
"""The default tolerance in units of ``eps(precision) * scale``: room for another order of the same few operations."""


def assert_close(
    actual: Any,
    expected: Tensor,
    *,
    scale: float | Tensor = 1.0,
    ulps: float = ULPS,
    precision: torch.dtype = torch.float32,
    what: str = "the result",
) -> None:
    """Fail unless ``|actual - expected| <= ulps * eps(precision) * scale`` for every element.

    ``expected`` is best computed in float64. ``scale`` is the natural size of the rounding errors of a correct answer
    (a number, or a tensor that broadcasts to ``expected``); write down where it comes from. ``precision`` is the dtype
    that a correct answer computes in. Infinities and nans must stand where ``expected`` has them. Integers and
    booleans must be equal. Dtypes are another check's matter (:func:`assert_dtype`).
    """
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what)
    assert_shape(actual, expected.shape, what=what)
    if actual.device != expected.device:
        expected = expected.to(actual.device)
    if not (expected.is_floating_point() or expected.is_complex()):
        if actual.is_floating_point() or actual.is_complex():
            raise CheckFailed(f"{what} has dtype {_name(actual.dtype)}; expected {_name(expected.dtype)}")
        _report(actual != expected, actual, expected, None, what)
        return
    if not (actual.is_floating_point() or actual.is_complex()):
        raise CheckFailed(f"{what} has dtype {_name(actual.dtype)}; expected floating-point numbers")
    wide = torch.complex128 if actual.is_complex() or expected.is_complex() else torch.float64
    got, want = actual.detach().to(wide), expected.detach().to(wide)
    error = (got - want).abs()
    allowed = torch.as_tensor(scale, dtype=torch.float64, device=got.device) * (ulps * torch.finfo(precision).eps)
    same = (got == want) | (got.isnan() & want.isnan())  # equal infinities differ by nan
    _report(~(same | (error <= allowed)), actual, expected, error, what)
    if error.numel():
        tolerance_used(float(torch.where(same, 0.0, error / allowed).max()))


def _report(wrong: Tensor, actual: Tensor, expected: Tensor, error: Tensor | None, what: str) -> None:
    __tracebackhide__ = True
    count = int(wrong.sum())
    if count == 0:
        return
    if wrong.dim():
        measured("mismatch", mismatch(wrong, error))
    if error is None:
        worst = int(wrong.flatten().to(torch.uint8).argmax())
    else:
        # A nan or an infinity where a number belongs is worse than any finite error.
        worst = int(error.nan_to_num(nan=torch.inf).masked_fill(~wrong, -1.0).flatten().argmax())
    position = tuple(int(i) for i in torch.unravel_index(torch.tensor(worst), wrong.shape)) if wrong.dim() else ()
    got, want = actual.detach().flatten()[worst].item(), expected.detach().flatten()[worst].item()
    where = f" at index [{', '.join(map(str, position))}]" if position else ""
    share = "" if wrong.numel() == 1 else f" {count} of {wrong.numel()} elements are wrong; the largest error is"
    middle = f":{share}{where}" if share else f" is wrong{where}"
    off = "" if error is None else _distance(float(error.flatten()[worst]))
    raise CheckFailed(f"{what}{middle}: {_number(got)} instead of {_number(want)}{off}")


def _distance(error: float) -> str:
    return f" (off by {error:.3g})" if error < float("inf") else ""


def _number(value: Any) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def assert_tensor(actual: Any, *, what: str = "the result") -> Tensor:
    """Fail unless ``actual`` is a tensor; return it."""
    __tracebackhide__ = True
    if not isinstance(actual, Tensor):
        raise CheckFailed(f"{what} is {with_article(type(actual).__name__)}; expected a Tensor")
    return actual


def assert_shape(actual: Any, shape: tuple[int, ...], *, what: str = "the result") -> None:
    """Fail unless ``actual`` is a tensor of this shape."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what)
    if tuple(actual.shape) != tuple(shape):
        raise CheckFailed(f"{what} has shape {list(actual.shape)}; expected {list(shape)}")


def assert_dtype(actual: Any, dtype: torch.dtype, *, what: str = "the result") -> None:
    """Fail unless ``actual`` is a tensor of this dtype."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what)
    if actual.dtype is not dtype:
        raise CheckFailed(f"{what} has dtype {_name(actual.dtype)}; expected {_name(dtype)}")


def assert_dtype_trace(actual: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Fail unless at each place of a computation the dtype is the one that is ``expected`` there, in words.

    The places are written for the student, as in ``{"the loss": "float32"}``; a place that ``actual`` lacks was not reached.
    The message names the first that differs, and the page shows all of them as a table. Only the student's process can see
    the dtype of a tensor inside the student's code, so the outcome rests on its word.
    """
    __tracebackhide__ = True
    rests_on_word()
    rows = [[place, actual.get(place, "not reached"), right] for place, right in expected.items()]
    wrong = [f"{place}: {found}; expected {right}" for place, found, right in rows if found != right]
    if wrong:
        measured("dtypes", rows)
        raise CheckFailed(wrong[0])


def assert_device(actual: Any, device: torch.device, *, what: str = "the result") -> None:
    """Fail unless ``actual`` is a tensor on this device; ``cuda`` without a number is the current one."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what)
    if actual.device.type != device.type or device.index not in (None, actual.device.index):
        raise CheckFailed(f"{what} is on the device {actual.device}; expected {device}, where the inputs are")


def assert_inputs_untouched(function: Any, *args: Any, **kwargs: Any) -> None:
    """Fail if the call changes a tensor among its arguments, or returns memory of one of them.

    ``function`` is a function of ``student``. Only the student's process can see what became of the arguments, so the
    outcome rests on its word.
    """
    __tracebackhide__ = True
    rests_on_word()
    before = [tensor.detach().clone() for tensor in tensors_in(args)]
    observation = function.observe(*args, **kwargs)
    after = list(tensors_in(observation.arguments))
    if len(before) != len(after):
        raise CheckFailed("the arguments are not the same after the call as before")
    for index, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        which = "the input" if len(before) == 1 else f"input {index}"
        if (old.shape, old.dtype, old.device) != (new.shape, new.dtype, new.device):
            raise CheckFailed(f"{which} was changed in place: its shape, dtype or device is another after the call")
        changed = ~((old == new) | (old.isnan() & new.isnan()))
        if bool(changed.any()):
            raise CheckFailed(f"{which} was changed in place: {int(changed.sum())} of {old.numel()} elements differ")
    if observation.shares_memory:
        raise CheckFailed("the result shares memory with an input: whoever changes one changes the other")


def assert_raises(function: Callable[..., Any], *args: Any, because: str, **kwargs: Any) -> None:
    """Fail unless the student's code raises (any exception type). ``because`` says what is wrong with the arguments."""
    from torchgrade.checks.faults import Raised  # noqa: PLC0415 - the errors are needed here alone

    __tracebackhide__ = True
    try:
        function(*args, **kwargs)
    except Raised:
        return
    raise CheckFailed(f"no error was raised, although {because}")


def assert_constant_operations(function: Any, inputs: list[tuple[Any, ...]], *, at_most: int | None = None) -> None:
    """Fail if the number of tensor operations grows from one input to the next: a Python loop does that.

    ``inputs`` are argument tuples of growing size. The counts are the worker's word.
    """
    __tracebackhide__ = True
    if len(inputs) < 2:  # noqa: PLR2004
        raise GraderError("assert_constant_operations needs inputs of at least two sizes")
    rests_on_word()
    counts = [int(function.count_operations(*args)) for args in inputs]
    if max(counts) > min(counts) + 2:
        listed = ", ".join(map(str, counts))
        raise CheckFailed(
            f"the number of tensor operations grows with the size of the input ({listed}): "
            "there is a Python loop over its elements. Work on the whole tensor at once."
        )
    if at_most is not None and max(counts) > at_most:
        raise CheckFailed(f"{max(counts)} tensor operations; at most {at_most} are needed")
