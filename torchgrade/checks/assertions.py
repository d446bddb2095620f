"""Assertions about a result, except for its numbers: those are compared in :mod:`torchgrade.checks.comparing`.

Each failure is a sentence for the student. Each assertion takes a ``hint``: either one sentence, or a mapping from slips
(:data:`torchgrade.checks.slips.SLIPS`) to sentences, from which a failure shows the one for its own slip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.calls import call_of
from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.faults import with_article
from torchgrade.checks.notes import measured, rests_on_word
from torchgrade.checks.observing import tensors_in
from torchgrade.checks.slips import Hint, fail, of_shapes

_IN_PLACE = "Methods whose names end in _, and operators like -=, write into the tensor that your function was given."
_COPIED = (
    "An index made of a list or a tensor copies; reshape, contiguous and flatten copy tensors of some layouts, and of others not."
)
_SHARED = (
    "A view shares its memory: indexing by slices, view, transpose, expand and to() without a change copy nothing; clone() does."
)


def name_of(dtype: torch.dtype) -> str:
    """Return the name of a dtype as messages show it."""
    return str(dtype).removeprefix("torch.")


def of_call(tensor: Tensor) -> str:
    """Return which call gave the tensor, for the end of a message; empty if that is not known."""
    return f". The call was {call}" if (call := call_of(tensor)) else ""


def assert_tensor(actual: Any, *, what: str = "the result", hint: Hint = "") -> Tensor:
    """Fail unless ``actual`` is a tensor; return it."""
    __tracebackhide__ = True
    if not isinstance(actual, Tensor):
        kind = getattr(actual, "_torchgrade_type", type(actual).__name__)  # the type of what stands behind a handle
        fail(f"{what} is {with_article(str(kind))}; expected a Tensor", "type", hint)
    return actual


def assert_shape(actual: Any, shape: tuple[int, ...], *, what: str = "the result", hint: Hint = "") -> None:
    """Fail unless ``actual`` is a tensor of this shape."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what, hint=hint)
    came, expected = tuple(actual.shape), tuple(shape)
    if came != expected:
        text = f"{what} has shape {list(came)}; expected {list(expected)}{of_call(actual)}"
        fail(text, "shape", hint, usually=of_shapes(came, expected))


def assert_dtype(actual: Any, dtype: torch.dtype, *, what: str = "the result", hint: Hint = "") -> None:
    """Fail unless ``actual`` is a tensor of this dtype."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what, hint=hint)
    if actual.dtype is not dtype:
        fail(f"{what} has dtype {name_of(actual.dtype)}; expected {name_of(dtype)}{of_call(actual)}", "dtype", hint)


def assert_dtype_trace(actual: Mapping[str, str], expected: Mapping[str, str], *, hint: Hint = "") -> None:
    """Fail unless the dtype at each place of a computation is the one that ``expected`` names for it, in words.

    The names of the places are written for the student, as in ``{"the loss": "float32"}``; a place that is missing from
    ``actual`` was not reached. The message names the first place that differs, and the page shows all of them as a table. Only
    the student's process can see the dtype of a tensor inside the student's code, so the outcome rests on its word.
    """
    __tracebackhide__ = True
    rests_on_word()
    rows = [[place, actual.get(place, "not reached"), right] for place, right in expected.items()]
    wrong = [f"{place}: {found}; expected {right}" for place, found, right in rows if found != right]
    if wrong:
        measured("dtypes", rows)
        fail(wrong[0], "dtype", hint)


def assert_device(actual: Any, device: torch.device, *, what: str = "the result", hint: Hint = "") -> None:
    """Fail unless ``actual`` is a tensor on this device; ``cuda`` without a number means the current one."""
    __tracebackhide__ = True
    actual = assert_tensor(actual, what=what, hint=hint)
    if actual.device.type != device.type or device.index not in (None, actual.device.index):
        fail(f"{what} is on the device {actual.device}; expected {device}, where the inputs are", "device", hint)


def assert_inputs_untouched(function: Any, *args: Any, hint: Hint = "", **kwargs: Any) -> None:
    """Fail if the call changes a tensor among its arguments, or returns a tensor that shares memory with one of them.

    ``function`` is a function of ``student``. Only the student's process can see what became of the arguments, so the
    outcome rests on its word.
    """
    __tracebackhide__ = True
    rests_on_word()
    before = [tensor.detach().clone() for tensor in tensors_in(args)]
    observation = function.observe(*args, **kwargs)
    after = list(tensors_in(observation.arguments))
    if len(before) != len(after):
        fail("the arguments are not the same after the call as before", "inputs", hint)
    for index, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        which = "the input" if len(before) == 1 else f"input {index}"
        if (old.shape, old.dtype, old.device) != (new.shape, new.dtype, new.device):
            fail(f"{which} was changed in place: its shape, dtype or device is another after the call", "inputs", hint)
        changed = ~((old == new) | (old.isnan() & new.isnan()))
        if bool(changed.any()):
            text = f"{which} was changed in place: {int(changed.sum())} of {old.numel()} elements differ"
            fail(text, "inputs", hint, usually=_IN_PLACE)
    if observation.shares_memory:
        fail("the result shares memory with an input: whoever changes one changes the other", "inputs", hint, usually=_SHARED)


def assert_view_of(function: Any, x: Tensor, *args: Any, what: str = "the result", hint: Hint = "", **kwargs: Any) -> Any:
    """Fail unless all that ``function(x, *args)`` returns are views of ``x``; return what it returned.

    The numbers in ``x`` must all be different. After the call, new numbers that are drawn only then are written into ``x``, and
    each number of the result has to become the one that now stands where it stood in ``x``. So the evidence is data, not the
    worker's word. Which number belongs where is for other checks to decide.
    """
    __tracebackhide__ = True
    old, order = _all_different(x).sort()
    # No number keeps its place: the new ones are the old ones, each moved one step along a random tour of all places.
    tour = torch.randperm(len(order))
    new = torch.empty_like(x.detach()).flatten()
    new[tour.roll(1)] = x.detach().flatten()[tour]
    held = function.hold(x, *args, **kwargs)
    before = [tensor.detach().clone() for tensor in tensors_in(held.result)]
    if not before:
        assert_tensor(held.result, what=what, hint=hint)
    expected = []
    for tensor in before:
        if not tensor.numel():
            fail(f"{what} has no elements{of_call(tensor)}", "shape", hint)
        assert_dtype(tensor, x.dtype, what=what, hint=hint)
        numbers = _widened(tensor)
        places = torch.searchsorted(old, numbers).clamp(max=len(old) - 1)
        if bool((wrong := old[places] != numbers).any()):
            odd = f"{float(numbers[wrong][0]):.6g}"
            fail(f"{what} has numbers that are not in its input: {odd}, for one; expected a view", "values", hint)
        expected.append(new[order[places]].view(tensor.shape))
    after = held.write(0, new.view(x.shape))
    for then, now, right in zip(before, after, expected, strict=True):
        if now.shape != right.shape or not torch.equal(now.detach(), right):
            stale = int((then == now).sum()) if now.shape == then.shape else 0
            text = f"new numbers were written into its input, and {stale} of {then.numel()} numbers are the old ones"
            fail(f"{what} is a copy: {text}", "layout", hint, usually=_COPIED)
    return held.result


def _all_different(x: Tensor) -> Tensor:
    """The numbers of ``x`` in one row, in a dtype that can be searched. Raises unless they can tell places apart."""
    numbers = _widened(x.detach())
    if len(numbers) < 2 or len(numbers.unique()) < len(numbers):  # noqa: PLR2004 - one number cannot change places
        raise GraderError("assert_view_of needs an x of at least two real numbers that all differ, as torch.randperm(n) has")
    return numbers


def _widened(x: Tensor) -> Tensor:
    return x.flatten().to(torch.float64 if x.is_floating_point() else torch.int64)


def assert_strides(actual: Any, strides: tuple[int, ...], *, what: str = "the result", hint: Hint = "") -> None:
    """Fail unless ``actual`` is a tensor with these strides, in elements; a dimension of size 1 may have any stride.

    Only the student's process can see how a tensor lies in its memory, so the outcome rests on its word.
    """
    __tracebackhide__ = True
    rests_on_word()
    actual = assert_tensor(actual, what=what, hint=hint)
    came, expected = tuple(actual.stride()), tuple(strides)
    if len(came) != len(expected):
        text = f"{what} has {len(came)} dimensions; expected {len(expected)}, with strides {list(expected)}{of_call(actual)}"
        fail(text, "shape", hint)
    if any(found != right for found, right, size in zip(came, expected, actual.shape, strict=True) if size > 1):
        fail(f"{what} has strides {list(came)}; expected {list(expected)}{of_call(actual)}", "layout", hint)


def assert_same_storage(function: Any, *args: Any, what: str = "the result", hint: Hint = "", **kwargs: Any) -> Any:
    """Fail unless all tensors that ``function(*args)`` returns lie in one storage; return what it returned.

    They need not overlap, so no data can show this: the outcome rests on the worker's word.
    """
    __tracebackhide__ = True
    rests_on_word()
    observation = function.observe(*args, **kwargs)
    if len(observation.storages) < 2:  # noqa: PLR2004 - one tensor has nothing to share with
        fail(f"{what} holds {len(observation.storages)} tensors; expected at least two, in one storage", "type", hint)
    if (count := len(set(observation.storages))) > 1:
        fail(f"{what} lies in {count} storages; expected one for all {len(observation.storages)} tensors", "layout", hint)
    return observation.result


def assert_raises(function: Callable[..., Any], *args: Any, because: str, hint: Hint = "", **kwargs: Any) -> None:
    """Fail unless the student's code raises (any exception type). ``because`` says what is wrong with the arguments."""
    from torchgrade.checks.faults import Raised  # noqa: PLC0415 - only this function needs the errors

    __tracebackhide__ = True
    try:
        function(*args, **kwargs)
    except Raised:
        return
    fail(f"no error was raised, although {because}", "raised", hint)


def assert_constant_operations(
    function: Any, inputs: list[tuple[Any, ...]], *, at_most: int | None = None, hint: str = ""
) -> None:
    """Fail if the number of tensor operations grows from one input to the next, as it does with a Python loop.

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
            "there is a Python loop over its elements. Work on the whole tensor at once.",
            hint=hint,
        )
    if at_most is not None and max(counts) > at_most:
        raise CheckFailed(f"{max(counts)} tensor operations; at most {at_most} are needed", hint=hint)
