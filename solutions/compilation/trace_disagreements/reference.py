"""One trace, clones for every call, and a comparison of shape, dtype and values in this order.

The tolerances of the task are the defaults of allclose.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    def fresh(arguments):
        return tuple(argument.clone() for argument in arguments)

    traced = torch.jit.trace(function, fresh(example), check_trace=False)
    found = []
    for number, arguments in enumerate(others):
        expected = function(*fresh(arguments))
        try:
            actual = traced(*fresh(arguments))
        except RuntimeError:
            found.append(number)
            continue
        same_kind = actual.shape == expected.shape and actual.dtype == expected.dtype
        if not same_kind or not torch.allclose(actual, expected, equal_nan=True):
            found.append(number)
    return found
