"""All outcomes of the function first, then all of its trace; an error is an outcome as well."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def _outcome(f, arguments):
    try:
        return f(*_fresh(arguments))
    except RuntimeError:
        return None


def _equal(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, _fresh(example), check_trace=False, strict=False)
    expected = [function(*_fresh(arguments)) for arguments in others]
    actual = [_outcome(traced, arguments) for arguments in others]
    return [i for i, (a, b) in enumerate(zip(actual, expected)) if a is None or not _equal(a, b)]
