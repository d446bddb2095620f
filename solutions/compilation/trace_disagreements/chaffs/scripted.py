"""torch.jit.script compiles the branches. (And needs the source of a function, which those of the judge have not.)

Fails: test_branch, test_error, test_in_place, test_control_flow, test_errors, test_shapes, test_dtypes, test_tolerance, test_nan, test_harmless, test_written_into, test_untouched
Costs: all, because what is compared is no trace.
Says: the function is compiled, and not traced
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.script(function)
    found = []
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            actual = traced(*_fresh(arguments))
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
