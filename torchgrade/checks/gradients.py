"""Gradients: the student's against a reference's, along random cotangents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.assertions import assert_shape, assert_tensor
from torchgrade.checks.calls import described_call
from torchgrade.checks.comparing import ULPS, assert_close
from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.notes import measured
from torchgrade.checks.observing import with_written
from torchgrade.checks.slips import Hint, by_slip, fail
from torchgrade.record.measurements import Gradient

_DETACHED = "Look for detach(), .data, .item(), numpy, torch.no_grad() or a new tensor made from the values."
MOST = 12
"""The number of elements in the picture of a wrong gradient."""


def assert_gradients(
    function: Callable[..., Any],
    *,
    reference: Callable[..., Tensor],
    inputs: Sequence[tuple[Any, ...]],
    scale: float | Tensor = 1.0,
    ulps: float = 8 * ULPS,
    precision: torch.dtype = torch.float64,
    hint: Hint = "",
) -> None:
    """Fail unless ``function`` has the gradients of ``reference`` for each argument tuple in ``inputs``.

    Every floating-point tensor argument that requires a gradient is differentiated. The cotangent of each comparison is drawn at
    random: with all ones, many wrong backward passes are right by accident. An ``nn.Parameter`` among the arguments is not
    copied, so ``assert_gradients(lambda x, weight: layer(x), ..., inputs=[(x, layer.weight)])`` looks at a layer's own parameter.
    ``reference`` is differentiated in float64; ``precision``, ``scale`` and ``hint`` are those of :func:`assert_close`. Anything
    that the student's code itself adds to the ``.grad`` of an argument counts as part of its gradient, as it does in training.
    """
    __tracebackhide__ = True
    if not inputs:
        raise GraderError("assert_gradients needs at least one tuple of inputs")
    for args in inputs:
        _compare(function, reference, args, hint, scale=scale, ulps=ulps, precision=precision)


def _compare(
    function: Callable[..., Any], reference: Callable[..., Tensor], args: tuple[Any, ...], hint: Hint, **tolerance: Any
) -> None:
    __tracebackhide__ = True
    ours = tuple(_leaf(arg, torch.float64) for arg in args)
    theirs = tuple(_leaf(arg, None) for arg in args)
    wanted = [arg for arg in ours if isinstance(arg, Tensor) and arg.requires_grad]
    leaves = [arg for arg in theirs if isinstance(arg, Tensor) and arg.requires_grad]
    if not leaves:
        raise GraderError("assert_gradients: no argument requires a gradient")
    expected = reference(*ours)
    with torch.enable_grad():
        actual = assert_tensor(function(*theirs), hint=by_slip(hint))
    assert_shape(actual, expected.shape, hint=by_slip(hint))
    call = f". The call was {described_call(getattr(function, '__name__', 'your function'), theirs, {})}"
    if not actual.requires_grad:
        fail(f"the result is cut off from the input: it needs no gradient{call}", "detached", by_slip(hint), usually=_DETACHED)
    cotangent = torch.randn_like(expected)
    expected_gradients = torch.autograd.grad(expected, wanted, cotangent)
    gradients = with_written(torch.autograd.grad(actual, leaves, cotangent.to(actual.dtype), allow_unused=True), leaves)
    for index, (gradient, want) in enumerate(zip(gradients, expected_gradients, strict=True), start=1):
        what = "the gradient" if len(leaves) == 1 else f"the gradient of input {index}"
        if gradient is None:
            text = f"{what} is missing: the result does not depend on the input as autograd sees it{call}"
            fail(text, "detached", by_slip(hint), usually=_DETACHED)
        try:
            assert_close(gradient, want, what=what, hint=hint, **tolerance)
        except CheckFailed as failed:
            if gradient.shape == want.shape and not want.is_complex():
                measured("gradient", _furthest(gradient, want))
            raise CheckFailed(f"{failed}{call}", hint=failed.hint, slip=failed.slip) from None


def _furthest(gradient: Tensor, want: Tensor) -> Gradient:
    """The elements that are furthest off, in their order, for the picture that :mod:`torchgrade.report.pictures` draws."""
    yours, right = gradient.detach().flatten().double(), want.detach().flatten().double()
    same = (yours == right) | (yours.isnan() & right.isnan())
    off = (yours - right).abs().nan_to_num(torch.inf).masked_fill(same, 0.0)
    elements = off.topk(min(MOST, off.numel())).indices.sort().values
    return {
        "shape": list(want.shape),
        "elements": elements.tolist(),
        "yours": yours[elements].tolist(),
        "right": right[elements].tolist(),
    }


def _leaf(arg: Any, dtype: torch.dtype | None) -> Any:
    if not isinstance(arg, Tensor) or (dtype is None and isinstance(arg, torch.nn.Parameter)):
        return arg  # the layer uses its own parameter, not a copy of it
    # Memory layout is kept (a transposed input stays transposed): some answers are right only for contiguous inputs.
    copy = arg.detach().clone(memory_format=torch.preserve_format)
    if dtype is not None and copy.is_floating_point():
        copy = copy.to(dtype)
    return copy.requires_grad_(arg.requires_grad)
