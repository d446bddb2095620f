"""Looks at shapes and dtypes, not at numbers.

Fails: test_branch, test_control_flow, test_tolerance, test_nan, test_written_into
Costs: 4.5, because most traces go wrong in their numbers.
Says: numbers are not compared
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, _fresh(example), check_trace=False)
    found = []
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            actual = traced(*_fresh(arguments))
        except RuntimeError:
            found.append(number)
            continue
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            found.append(number)
    return found
