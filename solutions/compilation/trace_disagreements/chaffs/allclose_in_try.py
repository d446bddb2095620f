"""allclose within try: it broadcasts.

Fails: test_shapes
Says: shapes are compared only where they do not broadcast
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
            agree = torch.allclose(traced(*_fresh(arguments)), expected, rtol=1e-5, atol=1e-8, equal_nan=True)
        except RuntimeError:
            agree = False
        if not agree:
            found.append(number)
    return found
