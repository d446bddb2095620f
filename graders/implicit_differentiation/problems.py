"""Equations with a known solution: the judge's side of ``probes.equation``, in float64.

    F(x, y) = rows * (A z + K sin(z) - U sin(x)),    z = y / columns

``A = I`` and ``K = -factor * Q`` with an orthogonal ``Q`` is a fixed-point equation of that contraction factor; ``K = 0``
is a linear system; ``rows`` and ``columns`` scale the rows and the columns of dF/dy. :class:`Cubic` is of another kind.

Only the checks of values and gradients compare with what is right. A check of something special (a start at the solution,
badly scaled units, several calls) compares with the student's own plain answer: see :func:`pulled`. What is wrong with every
gradient alike one check judges, and others take as it is: see :func:`slip_of`.
"""

# ruff: noqa: N803, N806 - names of the mathematics
import contextlib
import dataclasses
import functools

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_shape
from torchgrade.checks.faults import BadAnswer, NotDefined, Raised
from torchgrade.checks.notes import ends_its_process

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

    def gradient(self, x, y, cotangent, *, transposed=False):
        """``cotangent^T dy/dx`` at the solution y; the rows' scales cancel. ``transposed``: with a transpose forgotten."""
        adjoint, factors = self._parts(x.detach().cpu().double(), y / self.columns, self.columns * cotangent.double(), transposed)
        return (self.U.T @ adjoint) * factors

    def size(self, x, y, cotangent):
        """What the gradient's entries could be without cancellation: a small one is as exact as what it is the sum of."""
        adjoint, factors = self._parts(x.detach().cpu().double(), y / self.columns, self.columns * cotangent.double())
        return (self.U.norm(dim=0) * factors.abs()).max() * adjoint.norm()

    def _parts(self, x, z, cotangent, transposed=False):
        """Two vectors, of which the gradient is U^T times the one, times the other entry by entry."""
        return _solved(self._slope(z), cotangent, transposed), x.cos()

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

    def _parts(self, x, z, cotangent, transposed=False):
        adjoint = _solved(self._slope_at(z, self.U @ x), cotangent, transposed)
        return (1 + z.sin() / 5) * adjoint, torch.ones_like(x)

    def _slope_at(self, z, target):
        return self.A + torch.diag(3 * z**2 - z.cos() / 5 * target)


def _solved(slope, cotangent, transposed):
    return torch.linalg.solve(slope if transposed else slope.T, cotangent)


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


def pulled(student, problem, x, y0, cotangent, **hint):
    """The student's own gradient of a problem along a cotangent, right or not."""
    return gradients(solve(student, problem, x, y0), [x], cotangent, **hint)[0]


def assert_root(y, problem, x, *, what="the solution", ulps=ROUGH, hint=""):
    """Fail unless y is the problem's solution at x, each entry relative to its column's size."""
    want = problem.root(x)
    size = (want / problem.columns).abs().max() * problem.columns
    assert_close(y, want, scale=size, precision=x.dtype, ulps=ulps[x.dtype], what=what, hint=hint)


@dataclasses.dataclass(frozen=True)
class Slip:
    """What is wrong with every gradient in the same way: a factor (-1 for a sign), or the transpose that is missing."""

    factor: float = 1.0
    transposed: bool = False
    sensible: bool = True
    """False where nothing as simple makes the gradient right."""


def slip_of(student):
    """The slip that ``test_gradient_of_linear_systems`` judges, and that the other checks take as it is."""
    problem, (x, y0), cotangent = linear(6, 6), point(6, 6), torch.randn(6, dtype=F64)
    found = pulled(student, problem, x, y0, cotangent).double()
    for transposed in (False, True):
        want = problem.gradient(x, problem.root(x), cotangent, transposed=transposed)
        factor = float(f"{float(found @ want / (want @ want)):.3g}")  # one that somebody wrote has few digits
        # 1e-3 is near: how exact it is is another check's matter.
        if factor and (found - factor * want).abs().max() <= 1e-3 * found.abs().max() and (factor == 1 or not transposed):
            return Slip(factor, transposed)
    return Slip(sensible=False)


def helped(check):
    """Run a check with the reference's ``vjp_of_solve`` in the place of a wrong one, which is billed in its own exercise.

    The next check may be one of that exercise, so the process ends with this one.
    """

    @functools.wraps(check)
    def with_help(student, **fixtures):
        if _needs_help(student):
            student.run(probes.help_out)
            ends_its_process()
        check(student, **fixtures)

    return with_help


def _needs_help(student):
    """Whether ``vjp_of_solve`` is wrong, and ``solve_implicit`` not right with it: it may hand over a transposed matrix."""
    problem, cotangent = linear(5, 5), torch.randn(5, dtype=F64)
    if _helps(student, problem.A, cotangent):
        scaled = badly_scaled(8)[1]
        exact = _helps(student, scaled.rows[:, None] * scaled.A * scaled.rows, scaled.rows, units=scaled.rows)
        return not (exact and _helps(student, problem.A.float(), cotangent.float()))
    x, y0 = point(5, 5)
    root = problem.root(x)
    want, allowed = problem.gradient(x, root, cotangent), ULPS[F64] * torch.finfo(F64).eps * problem.size(x, root, cotangent)
    with contextlib.suppress(Raised, BadAnswer, NotDefined, CheckFailed):
        return not bool((pulled(student, problem, x, y0, cotangent) - want).abs().max() <= allowed)
    return True


def _helps(student, A, cotangent, units=1.0):
    """Whether the student's ``vjp_of_solve`` is right; ``units`` are those of the result. Nothing is judged by that."""
    want = torch.linalg.solve(A.T.double(), cotangent.double()) * units
    with contextlib.suppress(Raised, BadAnswer, NotDefined, CheckFailed):
        found = student.vjp_of_solve(A, cotangent)
        assert_shape(found, want.shape)
        assert_dtype(found, A.dtype)
        allowed = ULPS[A.dtype] * torch.finfo(A.dtype).eps * want.abs().max()
        return bool((found * units - want).abs().max() <= allowed)
    return False


def assert_pull_back(y, problem, x, *, slip=Slip(), what="the gradient", ulps=None, hint=""):
    """Fail unless the gradient of the sum of all unknowns is right but for a slip. Other cotangents are a check of their own."""
    cotangent, root = torch.ones_like(problem.columns), problem.root(x)
    want = problem.gradient(x, root, cotangent, transposed=slip.transposed)
    found = gradients(y, [x], cotangent)[0] / slip.factor
    scale, ulps = problem.size(x, root, cotangent), (ulps or ROUGH)[x.dtype]
    assert_close(found, want, scale=scale, precision=x.dtype, ulps=ulps, what=what, hint=hint)


def assert_same(found, own, *, what, precision=F64, ulps=ROUGH, hint=""):
    """Fail unless a gradient is what the student's own code gives in the plain case."""
    scale = own.abs().max().clamp(min=1e-12)
    assert_close(found, own.double(), scale=scale, precision=precision, ulps=ulps[precision], what=what, hint=hint)


def gradients(y, inputs, cotangent, hint="find_root has no gradient. How does autograd learn of one that it did not record?"):
    """``torch.autograd.grad``, with sentences for a student where there is nothing to differentiate."""
    assert_shape(y, cotangent.shape)
    if not y.requires_grad:
        raise CheckFailed("the result is cut off from x: it needs no gradient, although x does", hint=hint, slip="detached")
    found = torch.autograd.grad(y, inputs, cotangent.to(y), allow_unused=True, retain_graph=True)
    if found[0] is None:
        raise CheckFailed(
            "the gradient is missing: autograd does not see that the result depends on x", hint=hint, slip="detached"
        )
    return found
