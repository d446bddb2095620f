"""Hidden checks: solve_implicit.

What is compared, and how exactly, says ``problems``: 1e-9 of the largest entry in float64, 1e-4 in float32.

``test_gradient_of_linear_systems`` judges every gradient as it is. The others take it without a wrong sign or factor, and with
the transpose forgotten where it is forgotten there (``slip_of``); a wrong ``vjp_of_solve`` is replaced for them (``helped``).
"""

# ruff: noqa: N802, N806 - names of the mathematics
import functools

import pytest
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_memory, assert_shape, points, race
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.faults import Raised
from torchgrade.checks.notes import measured, rests_on_word

from . import probes
from .problems import (
    F32,
    F64,
    ULPS,
    Slip,
    assert_pull_back,
    assert_root,
    assert_same,
    badly_scaled,
    contraction,
    cubic,
    gradients,
    helped,
    in_even_units,
    linear,
    point,
    pulled,
    slip_of,
    solve,
)

MEGABYTE = 2**20
UNKNOWNS = 256
MATRIX = 8 * UNKNOWNS**2
"""Bytes of a matrix m x m in ``test_memory``."""
GROWTH = 8 * 8 * UNKNOWNS
"""Bytes that a longer search may add there: eight vectors; one for each step would be more."""
NEAR = {F64: 2**39}
"""The same as ``problems.ULPS`` for a gradient that is right but for its last digits: 1e-4."""
_TRANSPOSE = "A cotangent on y goes backwards: through the transpose of (dF/dy)^-1 first, then that of dF/dx."
_WHOLE = "dF/dy is a matrix, and all of it counts: its diagonal is not enough, nor a few terms of a series. What solves a system?"
_DIGITS = "The first digits are right. Is anything rounded, added to dF/dy, or stopped before it is exact?"
_SIGN = "Differentiate F(x, y(x)) = 0: when one of the two terms goes to the other side, what happens to its sign?"
_TWICE = "Is something added up twice? backward() adds to x.grad by itself; torch.autograd.grad only returns the gradient."
_WHERE = "In a linear system dF/dy and dF/dx are the same everywhere, and here they are not. At which y are they taken?"


@points(1.5)
def test_values(student):
    """F(x, y) is 0 at the result, for linear and for curved equations, from near and from far, call after call."""
    hint = "find_root returns the solution of this call. Neither another call, nor what is done afterwards, may change its value."
    for problem in (linear(3, 5), contraction(6, 4, 0.6), contraction(3, 5, 0.95), cubic(4, 5)):
        for start in (1, 20, 1):
            x, y0 = point(problem.U.shape[1], problem.U.shape[0])
            what = "the solution from a far start" if start > 1 else "the solution"
            assert_root(solve(student, problem, x, start * y0), problem, x, what=what, hint=hint)


@points(1, kind="gradients")
@helped
def test_gradient_of_linear_systems(student):
    """The gradient is right for linear systems whose matrix is not symmetric."""
    hints = {"values": _TRANSPOSE if slip_of(student).transposed else _WHOLE, "sign": _SIGN, "factor": _TWICE}
    for m in (4, 4, 6):
        problem, (x, y0) = linear(m, m), point(m, m)
        assert_pull_back(solve(student, problem, x, y0), problem, x, hint=hints)


@points(1, kind="gradients")
@helped
def test_gradient_of_contractions(student):
    """The gradient is exact for fixed-point equations of contraction factor 0.6, 0.8 and 0.95."""
    slip = slip_of(student)
    for factor, m in ((0.6, 6), (0.8, 6), (0.95, 6), (0.6, 48)):  # with few unknowns a Krylov method is always exact
        problem, (x, y0) = contraction(m, m, factor), point(m, m)
        y, what = solve(student, problem, x, y0), f"the gradient at factor {factor}, m = {m},"
        hints = {"values": _WHERE if slip.sensible else _WHOLE}
        assert_pull_back(y, problem, x, slip=slip, what=what, ulps=NEAR, hint=hints)
        assert_pull_back(y, problem, x, slip=slip, what=what, ulps=ULPS, hint=_DIGITS)


@points(0.5, kind="gradients")
@helped
def test_gradient_of_cubic_equations(student):
    """The gradient is right for equations of another kind, whose matrix depends on the solution."""
    slip = slip_of(student)
    hints = {"values": _WHERE if slip.sensible else ""}
    for m in (3, 5, 5):
        problem, (x, y0) = cubic(m, m), point(m, m)
        assert_pull_back(solve(student, problem, x, y0), problem, x, slip=slip, hint=hints)


@points(0.5, kind="gradients", needs=test_values)
@helped
def test_every_cotangent(student):
    """The backward pass is linear in the cotangent."""
    problem, (x, y0) = contraction(4, 4, 0.8), point(4, 4)
    y = solve(student, problem, x, y0)
    one, other = torch.randn(2, 4, dtype=F64)
    parts = 2 * gradients(y, [x], one)[0] - 3 * gradients(y, [x], other)[0]
    hint = "Does the backward pass read the cotangent that it is given, and nothing but multiply with it?"
    what = "the gradient along 2 c - 3 d, beside those along c and d,"
    assert_same(gradients(y, [x], 2 * one - 3 * other)[0], parts, what=what, hint=hint)


@points(1, kind="stability", needs=test_values)
@helped
def test_badly_scaled(student):
    """Equations and unknowns in units from 1e-6 to 1e6 lose no digits: the gradient is the one of even units."""
    rounded = "Which numbers are 'small' depends on the units of the equations. Is anything rounded off, or squared?"
    left = "What is nearly 0 in one unit is much in another. Is the solution rounded, or something small added to it?"
    hint = rounded if slip_of(student).sensible else ""
    for problem in badly_scaled(24):
        x, y0 = point(24, 24)
        cotangent = torch.randn(24, dtype=F64)
        own = pulled(student, in_even_units(problem), x, y0, cotangent)
        y = solve(student, problem, x, problem.columns * y0)
        assert_root(y, problem, x, ulps=ULPS, hint=left)
        found = gradients(y, [x], cotangent / problem.columns)[0]
        assert_same(found, own, what="the gradient, beside the one in even units,", ulps=ULPS, hint=hint)


@points(0.5, kind="shapes")
@helped
def test_every_size(student):
    """One unknown or many, one parameter or many: values and gradients are right."""
    slip = slip_of(student)
    hint = "Is n equal to m anywhere, or one of them 1? A row vector is no column vector."
    hints = {"shape": hint, "values": hint if slip.sensible else ""}
    for n, m in ((1, 1), (5, 1), (1, 4), (7, 3), (3, 7)):
        problem, (x, y0) = linear(n, m), point(n, m)
        y = solve(student, problem, x, y0)
        what = f"for n = {n}, m = {m}"
        assert_root(y, problem, x, what=f"the solution {what}", hint=hints)
        assert_pull_back(y, problem, x, slip=slip, what=f"the gradient {what}", hint=hints)


@points(0.5, kind="gradients", needs=test_values)
@helped
def test_two_solutions(student):
    """Several calls, of other equations too, all differentiated after the last, do not mix; one may feed the other."""
    hint = "What the backward pass needs has to be kept per call: on ctx, not in a global or on the class."
    problem, (x, y0), (w, _) = contraction(4, 4, 0.8), point(4, 4), point(4, 4)
    cotangent = torch.randn(4, dtype=F64)
    alone = pulled(student, problem, x, y0, cotangent)
    first = solve(student, problem, x, y0)
    student.solve_implicit(problem.F, w, y0)
    student.solve_implicit(probes.circle, torch.tensor([0.5], dtype=F64).requires_grad_(), torch.ones(1, dtype=F64))
    found = gradients(first, [x], cotangent)[0]
    assert_same(found, alone, what="the gradient of the first call, beside the one without the calls after it,", hint=hint)

    inner = student.solve_implicit(problem.F, x, y0)
    found = gradients(student.solve_implicit(problem.F, inner, y0), [x], cotangent)[0]
    between = inner.detach().requires_grad_()
    outwards = gradients(student.solve_implicit(problem.F, between, y0), [between], cotangent)[0]
    inwards = gradients(student.solve_implicit(problem.F, x, y0), [x], outwards)[0]
    assert_same(found, inwards, what="the gradient through two solutions, beside that of one after the other,", hint=hint)


@points(0.5, kind="gradients", needs=test_values)
@helped
def test_warm_start(student):
    """A start that is the solution already gives the same gradient as any other."""
    hint = "A solver that has nothing to do leaves no trace, and yet y depends on x, at the solution and not at the start."
    for m in (5, 3, 6):
        problem, (x, y0) = contraction(m, m, 0.8), point(m, m)
        cotangent = torch.randn(m, dtype=F64)
        cold = pulled(student, problem, x, y0, cotangent)
        warm = pulled(student, problem, x, problem.root(x), cotangent, hint=hint)
        assert_same(warm, cold, what="the gradient from a start at the solution, beside that from another start,", hint=hint)


@points(1, kind="errors", needs=test_values)
@helped
def test_singular(student):
    """Where dF/dy is singular there is an error or a gradient that is not finite; beside it, where it is not, a finite one."""
    hint = "y0 is the solution there already, and y depends on x all the same."
    x, y0 = torch.tensor([3.0], dtype=F64).requires_grad_(), torch.tensor([3.0, 0.0], dtype=F64)
    found = gradients(student.solve_implicit(probes.regular, x, y0), [x], torch.randn(2, dtype=F64), hint=hint)[0]
    if not found.isfinite().all():
        raise CheckFailed("dF/dy is [[1, 1], [1, 2]], which has an inverse, and yet the gradient is not finite")
    singular = (
        ("[[1, 1], [1, 1]]", probes.equal_rows, [3.0], [1.0, 2.0]),
        ("[[1, 2], [0, 0]]", probes.empty_row, [5.0, 0.0], [1.0, 2.0]),
        ("0 (the circle at x = 1)", probes.circle, [1.0], [0.0]),
    )
    for name, F, at, root in singular:  # y0 solves F exactly, so nothing is left to find_root
        x, y0 = torch.tensor(at, dtype=F64).requires_grad_(), torch.tensor(root, dtype=F64)
        try:
            found = gradients(student.solve_implicit(F, x, y0), [x], torch.randn_like(y0), hint=hint)[0]
        except Raised:
            continue
        if found.isfinite().all():
            raise CheckFailed(
                f"dF/dy is {name}, which has no inverse, but there is no error and the gradient is finite",
                hint="Where dF/dy has no inverse there is no derivative. An error says so; a made-up number hides it.",
            )


@points(0.5, kind="dtypes", needs=test_values)
@helped
def test_dtypes(student):
    """float32 gives a float32 solution, float64 a float64 one that is exact; their gradients agree."""
    wide = "float64 has 16 digits: is anything cast to float32 on the way?"
    back = "The solution has the dtype of y0. What was cast, and not cast back?"
    problem, (x, y0) = contraction(5, 5, 0.6), point(5, 5)
    found = {}
    for dtype in (F64, F32):
        z = x.detach().to(dtype).requires_grad_()
        y = solve(student, problem, z, y0.to(dtype))
        what = f"the solution for {str(dtype).removeprefix('torch.')} inputs"
        assert_dtype(y, dtype, what=what, hint=back)
        assert_root(y, problem, z, what=what, ulps=ULPS, hint=wide if dtype == F64 else "")
        found[dtype] = gradients(y, [z], torch.ones(5, dtype=dtype))[0]
    assert_same(found[F32], found[F64], what="the gradient in float32, beside that in float64,", precision=F32, hint=wide)


@points(0.5, kind="inputs", needs=test_values)
def test_x_without_gradient(student):
    """An x that needs no gradient gives the same solution, which needs none either."""
    problem, (x, y0) = contraction(3, 5, 0.6), point(3, 5)
    x = x.detach()
    problem.pose(student)
    for at, start in ((x, y0), (x.flip(0), y0), (x, y0.clone().requires_grad_())):
        assert_root(student.solve_implicit(probes.equation, at, start), problem, at)
    rests_on_word()
    if student.run(probes.asks_for_gradient, x, y0) is not False:
        raise CheckFailed(
            "after the call x, or the result, needs a gradient, although neither x nor y0 did before",
            hint="requires_grad_() marks the tensor that the caller holds. Where a graph is needed, mark a detached copy.",
        )


@points(0.5, kind="gradients", needs=test_values)
@helped
def test_start_gets_no_gradient(student):
    """y0 gets no gradient, and x beside it the same as ever."""
    hint = "The solution does not depend on where the search for it began: backward returns None for y0."
    problem, (x, y0) = contraction(5, 5, 0.6), point(5, 5)
    cotangent = torch.randn(5, dtype=F64)
    own = pulled(student, problem, x, y0, cotangent)
    start = y0.clone().requires_grad_()
    of_x, of_start = gradients(solve(student, problem, x, start), [x, start], cotangent)
    assert_same(of_x, own, what="the gradient of x beside a y0 that asks for one", hint=hint)
    if of_start is not None and of_start.ne(0).any():  # zeros say the same as None
        raise CheckFailed("y0 has a gradient: the solution is the same wherever the search for it starts", hint=hint)


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
                hint = "y -= step, y.copy_() and out= write into y0 itself. Start from y0.clone()."
                raise CheckFailed(f"{name} was changed in place", hint=hint)


@points(1, kind="memory", needs=test_values)
def test_memory(student):
    """What is held for the backward pass is a few m x m matrices, and does not grow with the solver's steps."""
    rests_on_word()
    problem, (x, y0) = contraction(8, UNKNOWNS, 0.95), point(8, UNKNOWNS)
    problem.pose(student)
    near, *far = [student.run(probes.held, x, start) for start in (problem.root(x), y0, 20 * y0)]
    measured("bytes held", [near, *far])
    counts = (near, *far)
    hint = (
        "What autograd records, or ctx saves, on the way to the solution is kept until the backward pass. Which of it is needed?"
    )
    if not all(type(count) is int and abs(count) < 8 * MATRIX for count in counts):
        listed = ", ".join(map(str, counts))
        allowed = f"at most {8 * MATRIX} are allowed, which is 8 matrices m x m"
        raise CheckFailed(f"for m = {UNKNOWNS} in float64, {listed} bytes are held from three starts; {allowed}", hint=hint)
    if (growth := max(far) - near) > GROWTH:
        told = f"a call that searched for the solution holds {growth} bytes more than one that began at it"
        raise CheckFailed(f"{told}; at most {GROWTH} are allowed", hint=hint)


@points(0.5, kind="memory", needs=test_values)
@helped
def test_no_large_matrix(student):
    """The m x n matrix dF/dx is never formed: for 64 unknowns and 2**20 parameters a gradient takes at most 128 MB."""
    # Measured: right answers 15 to 60 MB, that matrix alone 256.
    hint = "Backwards there is one cotangent: torch.func.vjp and torch.autograd.grad multiply with dF/dx without forming it."
    x, y0, cotangent = torch.randn(2**20), torch.zeros(64), torch.randn(64)
    small = torch.randn(128), torch.zeros(64), torch.randn(64)
    gradient = assert_memory(
        student.pull_back,
        student.ring,
        x,
        y0,
        cotangent,
        at_most=128 * MEGABYTE,
        warm_up=(student.ring, *small),
        hint=hint,
    )
    assert_shape(gradient, (2**20,), what="the gradient")
    if not gradient.isfinite().all() or not gradient.any():
        raise CheckFailed("the gradient for so many parameters is 0, or not finite")


@points(0.5, kind="operations", needs=test_values)
@helped
def test_calls_of_F(student):
    """The backward pass calls F at most 3 times, whatever n and m are."""
    rests_on_word()
    for n, m in ((8, 8), (4, 4)):
        problem, (x, y0) = contraction(n, m, 0.8), point(n, m)
        y = solve(student, problem, x, y0)
        before = student.run(probes.calls)
        gradients(y, [x], torch.randn(m, dtype=F64))
        count = student.run(probes.calls) - before
        if count > 3:
            hint = "One call of F, differentiated m times at once, gives all of dF/dy: torch.func.jacrev does that."
            raise CheckFailed(f"the backward pass called F {count} times for n = {n}, m = {m}; at most 3 are allowed", hint=hint)


@points(0.5, kind="speed", needs=test_values)
@helped
def test_speed(student):
    """A solution and its gradient for 65536 parameters and 128 unknowns take at most 12 times as long as the reference's."""
    # Measured on one thread: the slowest right answers 8 times, a solve with the m x n matrix 19 times and more.
    slip = slip_of(student)
    race(
        student.pull_back,
        make_inputs=lambda: (student.ring, *ring_inputs()),
        verify=functools.partial(assert_ring, slip=slip),
        at_most=12.0,
        hint="Backwards there is one right-hand side, the cotangent. The m x n matrix dy/dx is never needed.",
    )


def ring_inputs():
    """x, y0 (near the solution) and a cotangent for the notebook's ``ring``."""
    x = torch.randn(65536)
    return x, ring_root(x).float() + 0.04 * torch.randn(128), torch.randn(128)


def ring_root(x):
    """The solution of ``ring`` with 128 unknowns, in float64."""
    target = x.double().sin().reshape(128, -1).mean(dim=1)
    y = target
    for _ in range(60):
        y = target + 0.6 * y.sin().roll(1)
    return y


def assert_ring(gradient, _, x, y0, cotangent, *, slip):
    """Fail unless ``gradient`` is ``cotangent^T dy/dx`` of ``ring``, as it is (so is the reference's) or but for a slip."""
    slope = torch.eye(128, dtype=F64) - 0.6 * torch.diag(ring_root(x).cos()).roll(1, 0)
    each = x.numel() // y0.numel()

    def expected(transposed):
        adjoint = torch.linalg.solve(slope if transposed else slope.T, cotangent.double())
        return adjoint.repeat_interleave(each) * x.double().cos() / each

    want = expected(slip.transposed) * slip.factor
    if slip != Slip() and gradient.shape == want.shape and (gradient - want).abs().max() <= 1e-3 * want.abs().max():
        return
    want = expected(transposed=False)
    assert_close(gradient, want, scale=want.abs().max(), ulps=ULPS[F32], what="the gradient")


@pytest.mark.gpu
@points(
    0,
    kind="gradients",
    needs=(
        test_values,
        test_gradient_of_linear_systems,
        test_gradient_of_contractions,
        test_gradient_of_cubic_equations,
        test_every_size,
        test_dtypes,
        test_x_without_gradient,
    ),
)
@helped
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
