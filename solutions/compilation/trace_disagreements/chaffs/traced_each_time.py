"""A new trace for each of the others, which agrees with itself.

Fails: test_branch, test_error, test_control_flow, test_errors, test_shapes, test_dtypes, test_tolerance, test_nan, test_written_into
Costs: all, because such a trace never differs.
Says: each of the others gets a trace of its own, made at its own arguments
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    found = []
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            actual = torch.jit.trace(function, _fresh(arguments), check_trace=False)(*_fresh(arguments))
        except RuntimeError:
            found.append(number)
            continue
        if (
            actual.shape != expected.shape
            or actual.dtype != expected.dtype
            or not torch.allclose(actual, expected, rtol=1e-5, atol=1e-8, equal_nan=True)
        ):
            found.append(number)
    return found
