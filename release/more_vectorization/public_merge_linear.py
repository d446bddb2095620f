"""Public checks: merge_linear. You may read and run them; `check("merge_linear")` does."""

import torch

from torchgrade import assert_close, assert_gradients, points
from torchgrade.checks.raised import hint_where_raised

F64 = torch.float64


@points(1)
def test_by_hand(student):
    """Each of two vectors of two numbers with one vector of three."""
    a, b = torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([3.0, 4.0, 5.0])
    weight = torch.tensor([[1.0, 10.0, 100.0, 1000.0, 10000.0], [0.0, 0.0, 0.0, 0.0, 1.0]])
    bias = torch.tensor([7.0, 1.0])
    hint = {
        "values": "1 * 1 + 10 * 2 + 100 * 3 + 1000 * 4 + 10000 * 5 + 7 = 54328: what column meets which number? Is 7 there once?",
        "shape": "a has two rows, b is a single vector: two rows come out, with two numbers each.",
    }
    with hint_where_raised("a is [2, 2], b is [3], weight has five columns. Which of them belong to a? b has no rows."):
        result = student.merge_linear(a, b, weight, bias)
    assert_close(result, torch.tensor([[54328.0, 6.0], [54307.0, 6.0]]), scale=60000.0, hint=hint)


@points(0.5)
def test_without_bias(student):
    """No bias, and a bias of None, are a bias of zeros."""
    a, b, weight = (
        torch.tensor([2.0, 0.0]),
        torch.tensor([[0.0, 2.0]]),
        torch.tensor([[1.0, 7.0, 9.0, 1.0], [3.0, 7.0, 9.0, 3.0]]),
    )
    hint = {"values": "Nothing is left but 2 times the first column of weight and 2 times the last."}
    for arguments in ((), (None,)):
        with hint_where_raised("bias is None here. What can be done with None, and what cannot?"):
            result = student.merge_linear(a, b, weight, *arguments)
        assert_close(result, torch.tensor([[4.0, 12.0]]), scale=10.0, hint=hint)


@points(1, kind="gradients")
def test_gradients_by_steps(student):
    """All four arguments get the gradient that your own results show when one number after the other is moved."""
    a, b, weight, bias = (torch.randn(shape, dtype=F64) for shape in ((3, 1, 1), (4, 1), (1, 2), (1,)))
    # A bias that changes nothing is billed as values, so no gradient is asked of it.
    counts = bool((student.merge_linear(a, b, weight, bias) != student.merge_linear(a, b, weight, bias + 1)).any())
    inputs = (*(each.requires_grad_() for each in (a, b, weight)), bias.requires_grad_(counts))
    hint = {
        "values": "A vector that meets many others gets the sum of all their gradients.",
        "detached": "Inputs 1 to 4 are a, b, weight and bias. Which line does autograd not see? .data and no_grad hide things.",
    }
    assert_gradients(
        student.merge_linear,
        reference=lambda *given: Steps.apply(student.merge_linear, *given),
        inputs=[inputs],
        scale=20.0,
        precision=torch.float32,
        hint=hint,
    )


class Steps(torch.autograd.Function):
    """A function whose gradient is measured: each number is moved by a half in both directions.

    It is linear in each argument alone, so steps may be wide.
    """

    @staticmethod
    def forward(ctx, function, *given):
        """The function's value."""
        ctx.function = function
        ctx.save_for_backward(*given)
        with torch.no_grad():
            return function(*given)

    @staticmethod
    def backward(ctx, cotangent):
        """How much the value changes, in the direction of ``cotangent``, when one number does."""
        given = [each.detach().clone() for each in ctx.saved_tensors]
        slopes = []
        for each in given:
            slope = torch.zeros_like(each)
            for place in range(each.numel()):
                sides = []
                for step in (0.5, -1.0):
                    each.view(-1)[place] += step
                    sides.append((ctx.function(*given) * cotangent).sum())
                each.view(-1)[place] += 0.5
                slope.view(-1)[place] = sides[0] - sides[1]
            slopes.append(slope)
        return None, *slopes
