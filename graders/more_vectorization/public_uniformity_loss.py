"""Public checks: uniformity_loss. You may read and run them; `check("uniformity_loss")` does."""

import math

import torch

from torchgrade import assert_close, assert_gradients, points

F32, F64 = torch.float32, torch.float64


@points(1)
def test_by_hand(student):
    """Two rows, and three rows on a line, give what you can work out on paper."""
    two = torch.tensor([[0.0, 1.0], [1.0, 1.0]])
    hint = "There is one pair, at distance 1. Its rows do not have length 1. What is the log of the mean of one exp?"
    assert_close(student.uniformity_loss(two), torch.tensor(-2.0), scale=4.0, what="the result for two rows", hint=hint)
    # exp(-2 * 1) three times, or twice and exp(-2 * 4) once
    three = torch.tensor([[0.0], [1.0], [2.0]])
    hint = "There are three pairs, with the squared distances 1, 1 and 4. Which numbers are averaged, and how many are they?"
    expected = torch.tensor(math.log((math.exp(-2) + math.exp(-2) + math.exp(-8)) / 3))
    assert_close(student.uniformity_loss(three), expected, scale=8.0, what="the result for 0, 1 and 2", hint=hint)
    hint = "Where does your code use t?"
    what = "the result for two rows with t=0.25"
    assert_close(student.uniformity_loss(two, 0.25), torch.tensor(-0.25), scale=4.0, what=what, hint=hint)


@points(1, kind="stability")
def test_far_apart(student):
    """Four rows of length 24 at right angles give about -2304."""
    x = 24 * torch.eye(4, 6)  # all squared distances are 1152
    inside = "What is exp(-2304) in float32, and what is its log? Is there a way to the result that never stores it?"
    hint = {
        "values": "All six squared distances are 1152, so all six exponents are -2304. Which line changes them?",
        "nan": inside,
    }
    # Within 9 of it: how the pairs are counted is for other checks to say.
    assert_close(student.uniformity_loss(x), torch.tensor(-2304.0), scale=1000.0, ulps=75_000, hint=hint)


@points(1, kind="gradients")
def test_two_rows(student):
    """The gradient of two rows is what you can work out on paper."""

    def on_paper(x):
        return -2 * (x[0] - x[1]).square().sum()  # for two rows the log undoes the exp

    inputs = [(torch.randn(2, n, dtype=F64, requires_grad=True),) for n in (1, 3)]
    hint = {
        "values": "With two rows a and b, the gradient of a is -4 (a - b), and that of b is 4 (a - b).",
        "nan": "The slope of a square root at 0 is infinite. Is there a distance of 0 among yours, that of a row from itself?",
        "detached": "On which line does autograd lose sight of x?",
    }
    # In float32's precision: what passes through float32 is told so by another check, and once.
    assert_gradients(student.uniformity_loss, reference=on_paper, inputs=inputs, scale=10.0, precision=F32, hint=hint)
