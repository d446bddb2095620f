"""Hidden checks: vjp_of_solve."""

# ruff: noqa: N803, N806 - names of the mathematics
import torch

from torchgrade import assert_close, assert_dtype, points

from .problems import F32, F64, badly_scaled, linear


def gradient(A, cotangent):
    """What autograd gives for b, in float64."""
    b = torch.zeros_like(cotangent, dtype=F64).requires_grad_()
    return torch.autograd.grad(torch.linalg.solve(A.double(), b), b, cotangent.double())[0]


def symmetric(m, dtype):
    """A symmetric matrix with eigenvalues from 1 to 4: a transpose makes no difference to it."""
    Q = torch.linalg.qr(torch.randn(m, m, dtype=F64)).Q
    A = Q * torch.linspace(1, 4, m, dtype=F64) @ Q.T
    return ((A + A.T) / 2).to(dtype)


@points(0.25, kind="gradients")
def test_any_size(student):
    """It is right for matrices of any size that are far from symmetric."""
    hint = "Is it the transposed system that is solved?"
    for m in (1, 2, 3, 3, 7):
        A, cotangent = linear(1, m).A, torch.randn(m, dtype=F64)
        expected = gradient(A, cotangent)
        what = f"the gradient for m = {m}"
        result = student.vjp_of_solve(A, cotangent)
        assert_close(result, expected, scale=1 + expected.abs().max(), precision=F64, ulps=2**12, what=what, hint=hint)


@points(0.25, kind="stability")
def test_badly_scaled(student):
    """Equations in units from 1e-6 to 1e6 lose no digits."""
    hint = "Is anything added to the diagonal, rounded off, or squared?"
    _, problem = badly_scaled(8)
    A, cotangent = symmetric(8, F64), torch.randn(8, dtype=F64)
    A = problem.rows[:, None] * A * problem.rows
    even = gradient(A / problem.rows[:, None] / problem.rows, cotangent)
    result = student.vjp_of_solve(A, problem.rows * cotangent) * problem.rows
    what = "the gradient, in even units,"
    assert_close(result, even, scale=1 + even.abs().max(), precision=F64, ulps=2**22, what=what, hint=hint)


@points(0.25, kind="dtypes")
def test_dtypes(student):
    """float32 gives float32, float64 gives float64, exact to its own rounding."""
    for dtype in (F32, F64):
        A, cotangent = symmetric(4, dtype), torch.randn(4, dtype=dtype)
        expected, result = gradient(A, cotangent), student.vjp_of_solve(A, cotangent)
        assert_dtype(result, dtype, hint="Nothing here needs another dtype than that of A.")
        assert_close(result, expected, scale=1 + expected.abs().max(), precision=dtype, ulps=2**12)
