"""Hidden checks: vjp_of_solve.

`test_any_size` judges every result as it is. The others take symmetric matrices, and the function as `forgiving` returns it.
"""

# ruff: noqa: N803, N806 - names of the mathematics
import torch

from torchgrade import assert_close, assert_dtype, forgiving, points

from .problems import F32, F64, ROUGH, badly_scaled, linear


def gradient(A, cotangent):
    """What autograd gives for b, in float64."""
    b = torch.zeros_like(cotangent, dtype=F64).requires_grad_()
    return torch.autograd.grad(torch.linalg.solve(A.double(), b), b, cotangent.double())[0]


def symmetric(m, dtype):
    """A symmetric matrix with eigenvalues from 1 to 4: a transpose makes no difference to it."""
    Q = torch.linalg.qr(torch.randn(m, m, dtype=F64)).Q
    A = Q * torch.linspace(1, 4, m, dtype=F64) @ Q.T
    return ((A + A.T) / 2).to(dtype)


def sensible(student):
    """The function without a slip that `test_any_size` judges; fails unless it is nearly right then."""
    A, cotangent = symmetric(5, F64), torch.randn(5, dtype=F64)
    solved, expected = forgiving(student.vjp_of_solve, gradient, A, cotangent)
    assert_close(solved(A, cotangent), expected(A, cotangent), scale=1.0, precision=F64, ulps=2**42)
    return solved


@points(0.25, kind="gradients")
def test_any_size(student):
    """It is right for matrices of any size that are far from symmetric."""
    hint = "Is a system solved, and with the transposed matrix?"
    for m in (1, 2, 3, 3, 7):
        A, cotangent = linear(1, m).A, torch.randn(m, dtype=F64)
        expected = gradient(A, cotangent)
        what = f"the gradient for m = {m}"
        result = student.vjp_of_solve(A, cotangent)
        assert_close(result, expected, scale=1 + expected.abs().max(), precision=F64, ulps=ROUGH[F64], what=what, hint=hint)


@points(0.25, kind="stability")
def test_badly_scaled(student):
    """Equations in units from 1e-6 to 1e6 lose no digits."""
    hint = "Is anything added to the diagonal, rounded off, or squared?"
    solved = sensible(student)
    _, problem = badly_scaled(8)
    A, cotangent = symmetric(8, F64), torch.randn(8, dtype=F64)
    A = problem.rows[:, None] * A * problem.rows
    even = gradient(A / problem.rows[:, None] / problem.rows, cotangent)
    result = solved(A, problem.rows * cotangent) * problem.rows
    what = "the gradient, in even units,"
    assert_close(result, even, scale=1 + even.abs().max(), precision=F64, ulps=2**22, what=what, hint=hint)


@points(0.25, kind="dtypes")
def test_dtypes(student):
    """float32 gives float32, float64 gives float64, computed with in its own digits."""
    solved = sensible(student)
    hint = "float64 has 16 digits: is anything cast to float32 on the way?"
    for dtype in (F32, F64):
        A, one, other = symmetric(4, dtype), torch.randn(4, dtype=dtype), torch.randn(4, dtype=dtype)
        result = solved(A, one)
        assert_dtype(result, dtype, hint="The result has the dtype of A. What is cast, and not cast back?")
        # The sum of two results is that of the sum, to the digits that were computed with. Which result is for other checks.
        both, sum_of_both = solved(A, one + other), result.double() + solved(A, other).double()
        scale, what = 1 + sum_of_both.abs().max(), "the gradient for the sum of two cotangents, beside the sum of two gradients,"
        assert_close(both, sum_of_both, scale=scale, precision=dtype, ulps=2**12, what=what, hint=hint)
