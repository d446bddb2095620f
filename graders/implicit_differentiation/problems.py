"""Equations with a known solution: the judge's side of ``probes.equation``, in float64.

    F(x, y) = rows * (A z + K sin(z) - U sin(x)),    z = y / columns

``A = I`` and ``K = -factor * Q`` with an orthogonal ``Q`` is a fixed-point equation of that contraction factor; ``K = 0``
is a linear system; ``rows`` and ``columns`` scale the rows and the columns of dF/dy. :class:`Cubic` is of another kind.

Only the checks of values and gradients compare with what is right. A check of something special (a start at the solution,
badly scaled units, several calls) compares with the student's own plain answer: see :func:`pulled`.
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
ROUGH = {F64: 2**36, F32: 2**10}
"""The same where it is not exactness that is looked at: 1.5e-5 in float64."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """Matrices of one equation, all float64: A and K ``[m, m]``, U ``[m, n]``, rows and columns ``[m]``."""

    A: torch.Tensor
    K: torch.Tensor
    U: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor
    F = staticmethod(probes.equation)

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


class Cubic(Problem):
    """``rows * (A z + z ** 3 - (1 + sin(z) / 5) * (U x))``: dF/dx depends on the solution, as well as dF/dy.

    There is one solution, since A's symmetric part is twice the identity and U x is small.
    """

    F = staticmethod(probes.cubic)

    def root(self, x):
        """The solution y, detached: Newton steps, halved while they do not bring it nearer."""
        target = self.U @ x.detach().cpu().double()
        residual = lambda z: self.A @ z + z**3 - (1 + z.sin() / 5) * target  # noqa: E731
        z = torch.zeros_like(target)
        for _ in range(60):
            step = torch.linalg.solve(self._slope_at(z, target), residual(z))
            while residual(z - step).norm() > residual(z).norm() > 0 and step.norm() > 1e-15:
                step = step / 2
            z = z - step
        return self.columns * z

    def gradient(self, x, y, cotangent):
        """``cotangent^T dy/dx`` at the solution y."""
        z = y / self.columns
        slope = self._slope_at(z, self.U @ x.detach().cpu().double())
        return self.U.T @ ((1 + z.sin() / 5) * torch.linalg.solve(slope.T, self.columns * cotangent.double()))

    def _slope_at(self, z, target):
        return self.A + torch.diag(3 * z**2 - z.cos() / 5 * target)


def cubic(n, m):
    """A cubic equation whose matrix is far from symmetric."""
    turning = torch.randn(m, m, dtype=F64)
    A = 2 * torch.eye(m, dtype=F64) + (turning - turning.T) / m**0.5
    U, rows, columns = _rest(n, m)
    return Cubic(A, torch.zeros(m, m, dtype=F64), U / n**0.5, rows, columns)


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


def badly_scaled(m):
    """Two linear systems with units from 1e-6 to 1e6. Their matrices are symmetric: a transpose is another check's matter."""
    diagonal, dense = linear(m, m), linear(m, m)
    diagonal.A[:] = torch.diag(torch.linspace(1, 4, m, dtype=F64))
    diagonal.rows[:] = torch.logspace(-6, 4, m, dtype=F64)[torch.randperm(m)]
    diagonal.columns[:] = torch.logspace(-4, 6, m, dtype=F64)[torch.randperm(m)]
    Q = torch.linalg.qr(torch.randn(m, m, dtype=F64)).Q
    dense.A[:] = Q * torch.linspace(1, 4, m, dtype=F64) @ Q.T
    # The largest equation has the smallest unknown's number: what is left of it, however little, is much in that one's unit.
    dense.rows[:] = torch.logspace(-6, 6, m, dtype=F64)[torch.randperm(m)]
    dense.columns[:] = 1 / dense.rows
    return diagonal, dense


def in_even_units(problem):
    """The same equation without its scales."""
    ones = torch.ones_like(problem.rows)
    return dataclasses.replace(problem, rows=ones, columns=ones)


def _rest(n, m):
    return torch.randn(m, n, dtype=F64), torch.ones(m, dtype=F64), torch.ones(m, dtype=F64)


def point(n, m, dtype=F64):
    """A parameter x that requires a gradient, and a start y0."""
    return torch.randn(n, dtype=dtype).requires_grad_(), torch.randn(m, dtype=dtype)


def solve(student, problem, x, y0):
    """Pose the problem and have it solved."""
    problem.pose(student)
    return student.solve_implicit(problem.F, x, y0)


def pulled(student, problem, x, y0, cotangent):
    """The student's own gradient of a problem along a cotangent, right or not."""
    return gradients(solve(student, problem, x, y0), [x], cotangent)[0]


def assert_root(y, problem, x, *, what="the solution", ulps=ROUGH, hint=""):
    """Fail unless y is the problem's solution at x, each entry relative to its column's size."""
    want = problem.root(x)
    size = (want / problem.columns).abs().max() * problem.columns
    assert_close(y, want, scale=size, precision=x.dtype, ulps=ulps[x.dtype], what=what, hint=hint)


def assert_pull_back(y, problem, x, *, what="the gradient", ulps=ROUGH, hint=""):
    """Fail unless the gradient of the sum of all unknowns is right. What other cotangents do is a check of its own."""
    cotangent = torch.ones_like(problem.columns)
    want = problem.gradient(x, problem.root(x), cotangent)
    found = gradients(y, [x], cotangent)[0]
    assert_close(found, want, scale=want.abs().max(), precision=x.dtype, ulps=ulps[x.dtype], what=what, hint=hint)


def assert_same(found, own, *, what, precision=F64, ulps=ROUGH, hint=""):
    """Fail unless a gradient is what the student's own code gives in the plain case."""
    scale = own.abs().max().clamp(min=1e-12)
    assert_close(found, own.double(), scale=scale, precision=precision, ulps=ulps[precision], what=what, hint=hint)


def gradients(y, inputs, cotangent):
    """``torch.autograd.grad``, with sentences for a student where there is nothing to differentiate."""
    assert_shape(y, cotangent.shape)
    hint = "find_root has no gradient. How does autograd learn of one that it did not record?"
    if not y.requires_grad:
        raise CheckFailed("the result is cut off from x: it needs no gradient, although x does", hint=hint, slip="detached")
    found = torch.autograd.grad(y, inputs, cotangent.to(y), allow_unused=True, retain_graph=True)
    if found[0] is None:
        raise CheckFailed(
            "the gradient is missing: autograd does not see that the result depends on x", hint=hint, slip="detached"
        )
    return found
