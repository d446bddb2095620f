"""No copies: the second call gets what the first one has left.

Fails: test_in_place, test_written_into, test_untouched
Says: the trace gets arguments that the function has changed
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, example, check_trace=False)
    found = []
    for number, arguments in enumerate(others):
        expected = function(*arguments)
        try:
            actual = traced(*arguments)
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
