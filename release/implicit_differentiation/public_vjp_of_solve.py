"""Public checks: vjp_of_solve. You may read and run them; `check("vjp_of_solve")` does."""

# ruff: noqa: N806 - names of the mathematics
import torch

from torchgrade import assert_close, points


@points(0.25)
def test_by_hand(student):
    """For the matrix [[2, 3], [-1, 1]] and the cotangent (5, 0), the gradient is (1, -3)."""
    A = torch.tensor([[2.0, 3.0], [-1.0, 1.0]])
    hint = "y = A^-1 b, so c . y = (A^-T c) . b. Which system has A^-T c as its solution?"
    assert_close(student.vjp_of_solve(A, torch.tensor([5.0, 0.0])), torch.tensor([1.0, -3.0]), scale=5.0, hint=hint)
