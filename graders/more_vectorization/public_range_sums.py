"""Public checks: range_sums. You may read and run them; `check("range_sums")` does."""

import torch

from torchgrade import assert_close, assert_gradients, points
from torchgrade.checks.raised import hint_where_raised


@points(0.5)
def test_by_hand(student):
    """Three ranges of five rows: the first two, the middle three, and the second row alone."""
    x = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0], [5.0, 50.0]])
    hint = {
        "values": "From 1 to 4 there are three rows, 1, 2 and 3: in the first column, 2 + 3 + 4 = 9.",
        "shape": "Three ranges come out as three rows, with as many numbers as a row of x.",
    }
    result = student.range_sums(x, torch.tensor([0, 1, 1]), torch.tensor([2, 4, 2]))
    assert_close(result, torch.tensor([[3.0, 30.0], [9.0, 90.0], [2.0, 20.0]]), scale=90.0, hint=hint)


@points(0.5, kind="stability")
def test_nan_by_hand(student):
    """A nan shows in the range that holds it, and not in the two beside it."""
    x = torch.tensor([[1.0], [torch.nan], [torch.nan], [4.0]])
    hint = {
        "nan": "Only the middle range holds a nan. Which rows does your code read for others? What is 0 * nan, and nan - nan?",
        "values": "The middle range is rows 1 and 2, so its sum is nan.",
    }
    with hint_where_raised("The range from 3 to 4 is row 3, which is the last one: there is no row 4."):
        result = student.range_sums(x, torch.tensor([3, 1, 0]), torch.tensor([4, 3, 1]))
    assert_close(result, torch.tensor([[4.0], [torch.nan], [1.0]]), scale=4.0, hint=hint)


@points(0.5, kind="gradients")
def test_gradients_by_hand(student):
    """A row that is in two ranges gets the sum of two gradients; one that is in none gets 0."""
    x = torch.randn(3, 2, requires_grad=True)
    inputs = [(x, torch.tensor([0, 1, 0]), torch.tensor([1, 2, 1]))]
    hint = {
        "values": "Row 0 is in the first and the third range, row 1 in the second, row 2 in none.",
        "detached": "Which line does autograd not see? It does not see NumPy, .data and .tolist().",
    }
    with hint_where_raised("x needs a gradient here. Which line does not allow that?"):
        assert_gradients(
            student.range_sums, reference=lambda x, *_: x[[0, 1, 0]], inputs=inputs, precision=torch.float32, hint=hint
        )
