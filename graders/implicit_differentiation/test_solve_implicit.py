"""Hidden checks: solve_implicit.

What is compared, and how exactly, says ``problems``: 1e-9 of the largest entry in float64, 1e-4 in float32.
"""

# ruff: noqa: N802, N806 - names of the mathematics
import pytest
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, points, race
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.faults import Raised
from torchgrade.checks.notes import measured, rests_on_word

from . import probes
from .problems import (
    F32,
    F64,
    ULPS,
    assert_pull_back,
    assert_root,
    contraction,
    gradients,
    linear,
    point,
)


def solve(student, problem, x, y0):
    """Pose the problem and have it solved."""
    problem.pose(student)
    return student.solve_implicit(probes.equation, x, y0)


@points(1)
def test_values(student):
    """F(x, y) is 0 at the result, for linear and for curved equations."""
    for problem in (linear(3, 5), contraction(6, 4, 0.6), contraction(3, 5, 0.95)):
        x, y0 = point(problem.U.shape[1], problem.U.shape[0])
        assert_root(solve(student, problem, x, y0), problem, x)
        assert_root(solve(student, problem, x, 20 * y0), problem, x, what="the solution from a far start")


@points(1.5, kind="gradients")
def test_gradient_of_linear_systems(student):
    """The gradient is right for linear systems whose matrix is not symmetric, with n above, at and below m."""
    for n, m in ((6, 3), (4, 4), (2, 5)):
        problem, (x, y0) = linear(n, m), point(n, m)
        assert_pull_back(solve(student, problem, x, y0), problem, x)


@points(1.5, kind="gradients")
def test_gradient_of_contractions(student):
    """The gradient is exact for fixed-point equations of contraction factor 0.6, 0.8 and 0.95."""
    for factor, m in ((0.6, 6), (0.8, 6), (0.95, 6), (0.6, 48)):  # with few unknowns a Krylov method is always exact
        problem, (x, y0) = contraction(4, m, factor), point(4, m)
        assert_pull_back(solve(student, problem, x, y0), problem, x, what=f"the gradient at factor {factor}, m = {m},")


@points(0.5, kind="gradients", needs=test_values)
def test_every_cotangent(student):
    """The whole Jacobian dy/dx, row by row, agrees with finite differences."""
    problem, (x, y0) = contraction(3, 4, 0.8), point(3, 4)
    problem.pose(student)
    solution = lambda x: student.solve_implicit(probes.equation, x, y0)  # noqa: E731
    if not torch.autograd.gradcheck(solution, (x,), nondet_tol=1e-9, raise_exception=False):
        raise CheckFailed("the Jacobian dy/dx is another than finite differences of the solution")


@points(1, kind="stability")
def test_badly_scaled(student):
    """Equations and unknowns in units from 1e-6 to 1e6 lose no digits."""
    mixed, curved, opposed = linear(3, 6), contraction(3, 4, 0.8), linear(3, 24)
    for problem in (mixed, curved):
        m = len(problem.rows)
        problem.rows[:] = torch.logspace(-6, 4, m, dtype=F64)[torch.randperm(m)]
        problem.columns[:] = torch.logspace(-4, 6, m, dtype=F64)[torch.randperm(m)]
    # The largest equation has the smallest unknown's number: what is left of it, however little, is much in that one's unit.
    opposed.rows[:] = torch.logspace(-6, 6, 24, dtype=F64)[torch.randperm(24)]
    opposed.columns[:] = 1 / opposed.rows
    for problem in (mixed, curved, opposed):
        x, y0 = point(3, len(problem.rows))
        y = solve(student, problem, x, problem.columns * y0)
        assert_root(y, problem, x)
        assert_pull_back(y, problem, x)


@points(0.5, kind="shapes")
def test_every_size(student):
    """One unknown or many, one parameter or many: values and gradients are right."""
    for n, m in ((1, 1), (5, 1), (1, 4), (7, 3), (3, 7)):
        problem, (x, y0) = contraction(n, m, 0.6), point(n, m)
        y = solve(student, problem, x, y0)
        what = f"for n = {n}, m = {m}"
        assert_root(y, problem, x, what=f"the solution {what}")
        assert_pull_back(y, problem, x, what=f"the gradient {what}")


@points(0.5, kind="gradients")
def test_two_solutions(student):
    """Several calls, of other equations too, all differentiated after the last, do not mix; one may feed the other."""
    problem, (x, y0), (w, _) = contraction(4, 4, 0.8), point(4, 4), point(4, 4)
    first = solve(student, problem, x, y0)
    assert_root(student.solve_implicit(probes.equation, w, y0), problem, w)
    student.solve_implicit(probes.circle, torch.tensor([0.5], dtype=F64).requires_grad_(), torch.ones(1, dtype=F64))
    assert_pull_back(first, problem, x, what="the gradient of the first call")

    inner = student.solve_implicit(probes.equation, x, y0)
    outer = student.solve_implicit(probes.equation, inner, y0)
    cotangent = torch.randn(4, dtype=F64)
    between, last = problem.root(x), problem.root(problem.root(x))
    want = problem.gradient(x, between, problem.gradient(between, last, cotangent))
    found = gradients(outer, [x], cotangent)[0]
    what = "the gradient through two solutions"
    assert_close(found, want, scale=want.abs().max(), precision=F64, ulps=ULPS[F64], what=what)


@points(0.5, kind="gradients")
def test_warm_start(student):
    """A start that is the solution already gives the same gradient."""
    for n, m in ((4, 5), (5, 3), (3, 6)):
        problem, (x, _) = contraction(n, m, 0.8), point(n, m)
        assert_pull_back(solve(student, problem, x, problem.root(x)), problem, x)


@points(1, kind="errors", needs=(test_values, test_gradient_of_linear_systems))
def test_singular(student):
    """Where dF/dy is singular there is an error or a gradient that is not finite."""
    singular = (
        ("[[1, 1], [1, 1]]", probes.equal_rows, [3.0], [1.0, 2.0]),
        ("[[1, 2], [0, 0]]", probes.empty_row, [5.0, 0.0], [1.0, 2.0]),
        ("0 (the circle at x = 1)", probes.circle, [1.0], [0.0]),
    )
    for name, F, at, root in singular:  # y0 solves F exactly, so nothing is left to find_root
        x, y0 = torch.tensor(at, dtype=F64).requires_grad_(), torch.tensor(root, dtype=F64)
        try:
            found = gradients(student.solve_implicit(F, x, y0), [x], torch.randn_like(y0))[0]
        except Raised:
            continue
        if found.isfinite().all():
            raise CheckFailed(f"dF/dy is {name}, which has no inverse, but there is no error and the gradient is finite")


@points(0.5, kind="dtypes", needs=(test_values, test_gradient_of_contractions))
def test_dtypes(student):
    """float32 gives a float32 solution, float64 a float64 one, with gradients to match."""
    for dtype in (F32, F64):
        problem, (x, y0) = contraction(4, 5, 0.6), point(4, 5, dtype)
        y = solve(student, problem, x, y0)
        what = f"for {str(dtype).removeprefix('torch.')} inputs"
        assert_dtype(y, dtype, what=f"the solution {what}")
        assert_root(y, problem, x, what=f"the solution {what}")
        assert_pull_back(y, problem, x, what=f"the gradient {what}")


@points(0.5, kind="inputs", needs=test_values)
def test_x_without_gradient(student):
    """An x that needs no gradient gives the same solution, which needs none either."""
    problem, (x, y0) = contraction(3, 5, 0.6), point(3, 5)
    x = x.detach()
    problem.pose(student)
    for start in (y0, y0.clone().requires_grad_()):
        assert_root(student.solve_implicit(probes.equation, x, start), problem, x)
    rests_on_word()
    if student.run(probes.asks_for_gradient, x, y0) is not False:
        raise CheckFailed("after the call x, or the result, needs a gradient, although neither x nor y0 did before")


@points(0.5, kind="gradients", needs=test_gradient_of_contractions)
def test_start_gets_no_gradient(student):
    """y0 gets no gradient, and x the right one beside it."""
    problem, (x, y0) = contraction(5, 5, 0.6), point(5, 5)
    y = solve(student, problem, x, y0.requires_grad_())
    assert_pull_back(y, problem, x, inputs=[x, y0])
    of_start = gradients(y, [x, y0], torch.randn(5, dtype=F64))[1]
    if of_start is not None and of_start.ne(0).any():  # zeros say the same as None
        raise CheckFailed("y0 has a gradient: the solution is the same wherever the search for it starts")


@points(0.5, kind="inputs", needs=test_values)
def test_inputs_untouched(student):
    """Both x and y0 are the same after the call."""
    rests_on_word()
    problem, (x, y0) = contraction(3, 5, 0.8), point(3, 5)
    problem.pose(student)
    for start in (y0, problem.root(x)):
        y, *after = student.run(probes.call, x.detach(), start)
        assert_root(y, problem, x)
        for name, old, new in zip(("x", "y0"), (x.detach(), start), after, strict=True):
            if new.shape != old.shape or new.dtype != old.dtype or not torch.equal(new, old):
                raise CheckFailed(f"{name} was changed in place")


@points(1, kind="memory", needs=test_gradient_of_contractions)
def test_memory(student):
    """What is held for the backward pass is a few m x m matrices, however far the start is."""
    # Measured: 1 to 75 kB for right answers (one of which keeps two matrices of 32 kB), 850 kB and more for a recorded search.
    rests_on_word()
    problem, (x, y0) = contraction(8, 64, 0.95), point(8, 64)
    problem.pose(student)
    bytes_held = [student.run(probes.held, x, start) for start in (problem.root(x), y0, 20 * y0)]
    measured("bytes held", bytes_held)
    if not all(type(count) is int and abs(count) < 2**18 for count in bytes_held):
        listed = ", ".join(str(count) for count in bytes_held)
        raise CheckFailed(
            f"for m = 64 in float64, {listed} bytes are held from three starts; at most {2**18} are allowed (8 matrices m x m)"
        )


@points(0.5, kind="operations", needs=test_gradient_of_contractions)
def test_calls_of_F(student):
    """The backward pass calls F at most 3 times, whatever n and m are."""
    rests_on_word()
    for n, m in ((2, 8), (9, 4)):
        problem, (x, y0) = contraction(n, m, 0.8), point(n, m)
        y = solve(student, problem, x, y0)
        before = student.run(probes.calls)
        assert_pull_back(y, problem, x)
        count = student.run(probes.calls) - before
        if count > 3:
            raise CheckFailed(f"the backward pass called F {count} times for n = {n}, m = {m}; at most 3 are allowed")


@points(0.5, kind="speed", needs=test_gradient_of_contractions)
def test_speed(student):
    """A solution and its gradient for 65536 parameters and 128 unknowns take at most 12 times as long as the reference's."""
    # Measured on one thread: the slowest right answers 8 times, the m x n matrix 19 times and more.
    race(
        student.pull_back,
        make_inputs=lambda: (student.ring, *ring_inputs()),
        verify=assert_ring,
        at_most=12.0,
    )


def ring_inputs():
    """x, y0 (near the solution) and a cotangent for the notebook's ``ring``."""
    x = torch.randn(65536)
    return x, ring_root(x).float() + 0.01 * torch.randn(128), torch.randn(128)


def ring_root(x):
    """The solution of ``ring`` with 128 unknowns, in float64."""
    target = x.double().sin().reshape(128, -1).mean(dim=1)
    y = target
    for _ in range(60):
        y = target + 0.6 * y.sin().roll(1)
    return y


def assert_ring(gradient, _, x, y0, cotangent):
    """Fail unless ``gradient`` is ``cotangent^T dy/dx`` of ``ring``."""
    slope = torch.eye(128, dtype=F64) - 0.6 * torch.diag(ring_root(x).cos()).roll(1, 0)
    adjoint = torch.linalg.solve(slope.T, cotangent.double())
    each = x.numel() // y0.numel()
    want = adjoint.repeat_interleave(each) * x.double().cos() / each
    assert_close(gradient, want, scale=want.abs().max(), ulps=ULPS[F32], what="the gradient")


@pytest.mark.gpu
@points(
    0,
    kind="gradients",
    needs=(
        test_values,
        test_gradient_of_linear_systems,
        test_gradient_of_contractions,
        test_every_size,
        test_dtypes,
        test_x_without_gradient,
    ),
)
def test_on_a_gpu(student, device):
    """On a GPU the solution and its gradient are right, in float32 and float64, and stay there."""
    for dtype in (F32, F64):
        for problem, (n, m) in ((linear(3, 5), (3, 5)), (contraction(4, 6, 0.8), (4, 6))):
            x, y0 = (tensor.detach().to(device) for tensor in point(n, m, dtype))
            y = solve(student, problem, x.requires_grad_(), y0)
            what = f"for {str(dtype).removeprefix('torch.')} inputs on a GPU"
            assert_device(y, device, what=f"the solution {what}")
            assert_dtype(y, dtype, what=f"the solution {what}")
            assert_root(y, problem, x, what=f"the solution {what}")
            assert_pull_back(y, problem, x, what=f"the gradient {what}")
