"""Functions that cross into the jail by name, to be traced there. Nothing here is secret.

Where one of them asks its first argument for the sign of its sum, a trace knows the example's answer only.
"""

from typing import Any

import torch
from torch import Tensor


def branch(x: Tensor) -> Tensor:
    """One way for a positive sum, another way for a negative one."""
    return x + 1 if x.sum() > 0 else 2 * x


def doubled_by_dim(x: Tensor) -> Tensor:
    """As many doublings as dimensions."""
    for _ in range(x.dim()):
        x = 2 * x
    return x


def halved(x: Tensor) -> Tensor:
    """Halved until nothing is larger than 1."""
    while x.abs().max() > 1:
        x = x / 2
    return x


def less_largest(x: Tensor) -> Tensor:
    """The largest number leaves its tensor, and becomes a constant."""
    return x - x.max().item()


def flat(x: Tensor) -> Tensor:
    """All numbers in one row, whose length is worked out in Python."""
    return x.reshape(int(x.shape[0]) * int(x.shape[1]))


def added_to_flat(x: Tensor, y: Tensor) -> Tensor:
    """The same, with a second argument that has to fit."""
    return x.reshape(int(x.shape[0]) * int(x.shape[1])) + y


def one_or_two(x: Tensor) -> Tensor:
    """One number or two, of which each is 1."""
    return torch.ones(2) if x.sum() > 0 else torch.ones(1)


def row_or_column(x: Tensor) -> Tensor:
    """Zeros in a row, or in a column."""
    return 0 * x[:1] if x.sum() > 0 else 0 * x[:, :1]


def no_dimension(x: Tensor) -> Tensor:
    """Zero, with a dimension or without one."""
    return torch.zeros(1) if x.sum() > 0 else torch.zeros(())


def wide(x: Tensor) -> Tensor:
    """The same numbers in float64, or as they are."""
    return x.double() if x.sum() > 0 else x


def whole(x: Tensor) -> Tensor:
    """Whole numbers, as integers or not."""
    return x.round().long() if x.sum() > 0 else x.round()


def nearly(x: Tensor, factor: Tensor) -> Tensor:
    """The same numbers, or a little more."""
    return x if x.sum() > 0 else x * (1 + factor)


def logarithm(x: Tensor) -> Tensor:
    """Nan, where a number is negative."""
    return x.log()


def nan_or_zero(x: Tensor) -> Tensor:
    """Nan everywhere, or 0 everywhere."""
    return x * torch.nan if x.sum() > 0 else x * 0


def softmax(x: Tensor) -> Tensor:
    """What a trace has no trouble with."""
    return torch.softmax(x, dim=-1)


def count(x: Tensor) -> Tensor:
    """A number of numbers, which is an integer."""
    return (x > 0).sum()


def positive(x: Tensor) -> Tensor:
    """Booleans."""
    return x > 0


def scaled_in_place(x: Tensor) -> Tensor:
    """Writes into its argument, and gives a tensor of its own."""
    x.mul_(3)
    return x + 1


def moved_in_place(x: Tensor, step: Tensor) -> Tensor:
    """Writes into both arguments, and gives one of them back."""
    step *= 2
    x += step
    return x


def branch_in_place(x: Tensor) -> Tensor:
    """Changes its argument, in another way for a negative sum.

    The sign of the sum stays: torch.jit.trace traces twice, to see whether it gets the same graph, and gives the second
    trace what the first one has left. It would raise an error where the second one took another way.
    """
    if x.sum() > 0:
        x.mul_(3)
    else:
        x.sub_(1)
    return x + 1


def afterwards(notebook: Any, function: Any, example: tuple[Tensor, ...], others: list[tuple[Tensor, ...]]) -> Any:
    """The arguments as they are after the call, and what it gives."""
    found = notebook.trace_disagreements(function, example, others)
    return [list(arguments) for arguments in (example, *others)], found
