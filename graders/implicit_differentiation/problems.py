"""Equations with a known solution: the judge's side of ``probes.equation``, in float64.

    F(x, y) = rows * (A z + K sin(z) - U sin(x)),    z = y / columns

``A = I`` and ``K = -factor * Q`` with an orthogonal ``Q`` is a fixed-point equation of that contraction factor; ``K = 0``
is a linear system; ``rows`` and ``columns`` scale the rows and the columns of dF/dy.
"""

# ruff: noqa: N806 - names of the mathematics
import dataclasses

import torch

from torchgrade import CheckFailed, assert_close, assert_shape

from . import probes

F32, F64 = torch.float32, torch.float64

ULPS = {F64: 2**22, F32: 2**10}
"""Allowed error, in units of rounding of the largest entry: 1e-9 in float64, 1e-4 in float32.

Far more than any exact method needs, whose errors are the condition number (below 100 here) times rounding, and far
less than what an iteration that is cut short leaves over.
"""


@dataclasses.dataclass(frozen=True)
class Problem:
    """Matrices of one equation, all float64: A and K ``[m, m]``, U ``[m, n]``, rows and columns ``[m]``."""

    A: torch.Tensor
    K: torch.Tensor
    U: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor

    def pose(self, student):
        """Let ``probes.equation`` be this equation, in the process of the running check."""
        student.run(probes.pose, self.A, self.K, self.U, self.rows, self.columns)

    def root(self, x):
        """The solution y, detached: fixed-point steps (a contraction has one solution), then Newton steps."""
        target = self.U @ x.detach().cpu().double().sin()
        z = torch.zeros_like(target)
        if self.K.any():
            for _ in range(60):
                z = target - self.K @ z.sin()
        for _ in range(20):
            z = z - torch.linalg.solve(self._slope(z), self.A @ z + self.K @ z.sin() - target)
        return self.columns * z

    def gradient(self, x, y, cotangent):
        """``cotangent^T dy/dx`` at the solution y; the rows' scales cancel."""
        adjoint = torch.linalg.solve(self._slope(y / self.columns).T, self.columns * cotangent.double())
        return (self.U.T @ adjoint) * x.detach().cpu().double().cos()

    def _slope(self, z):
        return self.A + self.K * z.cos()


def contraction(n, m, factor):
    """A fixed-point equation; steps of a fixed-point iteration shrink its error by ``factor``."""
    Q = torch.linalg.qr(torch.randn(m, m, dtype=F64)).Q
    U, rows, columns = _rest(n, m)
    # Small solutions: where cos(z) is far below 1, the factor would be too.
    return Problem(torch.eye(m, dtype=F64), -factor * Q, 0.3 / n**0.5 * U, rows, columns)


def linear(n, m):
    """A linear system whose matrix is far from symmetric, with singular values from 1 to 4."""
    left, right = (torch.linalg.qr(torch.randn(m, m, dtype=F64)).Q for _ in range(2))
    A = left * torch.linspace(1, 4, m, dtype=F64) @ right
    return Problem(A, torch.zeros(m, m, dtype=F64), *_rest(n, m))


def _rest(n, m):
    return torch.randn(m, n, dtype=F64), torch.ones(m, dtype=F64), torch.ones(m, dtype=F64)


def point(n, m, dtype=F64):
    """A parameter x that requires a gradient, and a start y0."""
    return torch.randn(n, dtype=dtype).requires_grad_(), torch.randn(m, dtype=dtype)


def assert_root(y, problem, x, *, what="the solution"):
    """Fail unless y is the problem's solution at x, each entry to the precision of x relative to its column's size."""
    want = problem.root(x)
    size = (want / problem.columns).abs().max() * problem.columns
    assert_close(y, want, scale=size, precision=x.dtype, ulps=ULPS[x.dtype], what=what)


def assert_pull_back(y, problem, x, *, inputs=None, what="the gradient"):
    """Fail unless the gradient along a random cotangent is right; the cotangent evens out the columns' sizes."""
    cotangent = torch.randn_like(problem.columns) / problem.columns
    gradient, *_ = gradients(y, inputs or [x], cotangent)
    want = problem.gradient(x, problem.root(x), cotangent)
    assert_close(gradient, want, scale=want.abs().max(), precision=x.dtype, ulps=ULPS[x.dtype], what=what)


def gradients(y, inputs, cotangent):
    """``torch.autograd.grad``, with sentences for a student where there is nothing to differentiate."""
    assert_shape(y, cotangent.shape)
    if not y.requires_grad:
        raise CheckFailed("the result is cut off from x: it needs no gradient, although x does")
    found = torch.autograd.grad(y, inputs, cotangent.to(y), allow_unused=True, retain_graph=True)
    if found[0] is None:
        raise CheckFailed("the gradient is missing: autograd does not see that the result depends on x")
    return found
