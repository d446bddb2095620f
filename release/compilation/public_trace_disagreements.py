"""Public checks: trace_disagreements. You may read and run them; `check("trace_disagreements")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, points
from torchgrade.checks.raised import hint_where_raised


def one_way_or_another(x: Tensor) -> Tensor:
    """Which way it takes depends on the numbers."""
    return x + 10 if x.sum() > 0 else x - 10


def flat(x: Tensor) -> Tensor:
    """How long the row is depends on the shape, and is worked out in Python."""
    return x.reshape(int(x.shape[0]) * int(x.shape[1]))


def one_more_than_twice(x: Tensor) -> Tensor:
    """Writes into its argument."""
    x.mul_(2)
    return x + 1


def assert_indices(found, expected: list[int], *, what: str = "the result", hint: str = "") -> None:
    """Fail unless these are the indices, as a list of int."""
    if not isinstance(found, list | tuple):
        raise CheckFailed(f"{what} is a {type(found).__name__}; expected a list of int", slip="type")
    if any(type(index) is not int for index in found):
        raise CheckFailed(f"{what} is {list(found)}; expected a list of int: the indices of those that differ", slip="type")
    if list(found) != expected:
        raise CheckFailed(f"{what} is {list(found)}; expected {expected}", hint=hint, slip="values")


@points(1)
def test_branch(student):
    """Recorded for a positive sum, the trace is wrong for the two negative ones."""
    others = [(torch.tensor([3.0, -1.0]),), (torch.tensor([1.0, -2.0]),), (torch.tensor([5.0]),), (torch.tensor([-4.0, 0.0]),)]
    found = student.trace_disagreements(one_way_or_another, (torch.tensor([1.0, 2.0]),), others)
    hint = "Which way did the example take? Which of the others take the other way?"
    if found == [0, 2]:
        hint = "These are the others for which both agree."
    if found == [0, 1, 2, 3]:
        hint = "All four? Is it your own call of the trace that raises an error?"
    assert_indices(found, [1, 3], hint=hint)


@points(0.5)
def test_error(student):
    """A trace that stops with an error is wrong there."""
    others = [(torch.ones(3, 2),), (torch.ones(2, 2),)]
    with hint_where_raised("Who raises this, the function or its trace? And which of the two is right?"):
        found = student.trace_disagreements(flat, (torch.zeros(2, 3),), others)
    hint = "The length 6 is in the trace. What does it do with 4 numbers, and what does that mean for the result?"
    assert_indices(found, [1], hint=hint)


@points(0.5)
def test_in_place(student):
    """A function that doubles its argument in place does what its trace does: the result is an empty list."""
    others = [(torch.tensor([3.0]),), (torch.tensor([1.0, -1.0]),)]
    found = student.trace_disagreements(one_more_than_twice, (torch.tensor([1.0, 2.0]),), others)
    hint = "The function is called, and its trace is called. Which numbers does each of them get to see?"
    assert_indices(found, [], hint=hint)
