"""Hidden checks: curvature.

g and u are functions of `probes_curvature`, with numbers that are drawn here. Each of the three results has its own check. The
others look only at those results that are right in a plain call (`right_results`): one mistake has one price.
"""

# ruff: noqa: N806 - names of the mathematics
import contextlib

import torch

from torchgrade import CheckFailed, assert_close, assert_memory, points
from torchgrade.checks.faults import Raised, StudentFault
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_curvature as probes

F32, F64 = torch.float32, torch.float64
MEGABYTE = 2**20
NAMES = "the gradient", "H v", "the Gauss-Newton product"
DIGITS = "The first digits are right. Is a derivative replaced by a difference of two numbers that are nearly the same?"
SIZES = (4, 6), (6, 3), (1, 3), (5, 1)


def pose(student, n, m):
    """Draw numbers of g and u, on both sides of the wall, and give them back."""
    K = torch.randn(m + 2, m, dtype=F64)
    numbers = torch.randn(m, n, dtype=F64), torch.randn(m, n, dtype=F64), K, torch.randn(m, dtype=F64)
    student.run(probes.pose, *numbers)
    probes.pose(None, *numbers)
    return numbers


def place(n):
    """Random x and v."""
    return torch.randn(n, dtype=F64), torch.randn(n, dtype=F64)


def expected(g, u, x, v):
    """All matrices in full: n and m are small here."""
    functional = torch.autograd.functional
    J = functional.jacobian(u, x)
    gradient = functional.jacobian(lambda x: g(u(x)), x)
    H, G = functional.hessian(lambda x: g(u(x)), x), functional.hessian(g, u(x))
    return gradient, H @ v, J.T @ (G @ (J @ v))


def three(results):
    """The three results, if it is three."""
    if not isinstance(results, tuple | list) or len(results) != 3:
        raise CheckFailed("expected three tensors: the gradient, H v and the Gauss-Newton product", slip="type")
    return results


def assert_result(results, wants, which, where="", hint="", precision=F64):
    """Fail unless one of the three results is right."""
    scale = 1 + max(float(want.abs().max()) for want in wants)
    result, what = three(results)[which], f"{NAMES[which]}{where}"
    if isinstance(result, torch.Tensor) and result.shape == wants[which].shape:
        off = float((result.detach().double() - wants[which]).abs().max())
        hint = DIGITS if hint and off < 1e-4 * scale else hint
    ulps = 2**12 if precision is F64 else 2**8
    assert_close(result, wants[which], precision=precision, ulps=ulps, scale=scale, what=what, hint=hint)


def right_ones(results, wants):
    """Which of the three results are right; at least one has to be."""
    right = []
    for which in range(3):
        with contextlib.suppress(CheckFailed):
            assert_result(results, wants, which)
            right.append(which)
    if not right:
        raise CheckFailed("none of the three results is right in a plain call", hint="Begin with the plain case.")
    return right


def right_results(student):
    """Which of the three results are right in a plain call where g and u are curved."""
    pose(student, 4, 6)
    x, v = place(4)
    g, u = probes.curved_g, probes.curved_u
    return right_ones(three(student.curvature(g, u, x, v)), expected(g, u, x, v))


def assert_plain(student, which, hint, *, hint_for_hessian=""):
    """Fail unless one of the results is right for curved g and u, for several sizes. The hint is another where it is H v."""
    for n, m in SIZES:
        pose(student, n, m)
        x, v = place(n)
        results = three(student.curvature(probes.curved_g, probes.curved_u, x, v))
        wants = expected(probes.curved_g, probes.curved_u, x, v)
        if hint_for_hessian and torch.is_tensor(results[which]) and results[which].shape == wants[1].shape:
            hint = hint_for_hessian if torch.allclose(results[which].double(), wants[1]) else hint
        assert_result(results, wants, which, f" (n = {n}, m = {m})", hint)


def assert_linear(student, g, u, hint, *, weights=False):
    """Fail unless the results that are right for curved functions are right for these, too."""
    right = right_results(student)
    for n, m in SIZES[:2]:
        numbers = pose(student, n, m)
        if weights:
            student.run(probes.pose_weights, *numbers)
        x, v = place(n)
        try:
            results = student.curvature(g, u, x, v)
        except Raised as fault:  # our table's hint for what torch raises here would mislead
            raise CheckFailed(str(fault), hint=hint, slip="raised") from None
        wants = expected(g, u, x, v)
        for which in right:
            hints = {"values": hint, "type": hint}
            assert_result(results, wants, which, f" (n = {n}, m = {m})", hints)


@points(0.5)
def test_gradient(student):
    """The gradient of g(u(x)) is right, for m larger and smaller than n."""
    hint = "What is differentiated, and by what: g by y, or g(u(x)) by x?"
    assert_plain(student, 0, {"values": hint, "shape": hint})


@points(1.5)
def test_hessian(student):
    """H v is right, for m larger and smaller than n."""
    assert_plain(student, 1, "Which number has H v as its gradient? Along which direction does the gradient change?")


@points(2)
def test_gauss_newton(student):
    """The Gauss-Newton product is right, for m larger and smaller than n."""
    hint = {
        "values": "Read it from the right: J v, then ∇²g at u(x), then Jᵀ. Which factor of your product is which?",
        "shape": "J v has m numbers. What brings them back to n?",
    }
    for_hessian = "This is H v. The curvature of g at u(x) belongs in, and another one does not. Whose?"
    assert_plain(student, 2, hint, hint_for_hessian=for_hessian)


@points(0.5, kind="stability")
def test_linear_g(student):
    """A linear g gives no error, and the Gauss-Newton product 0."""
    hint = "The gradient of a linear g is the same everywhere. Does it depend on y, as autograd sees it?"
    assert_linear(student, probes.linear_g, probes.curved_u, hint)


@points(0.5, kind="stability")
def test_linear_u(student):
    """A linear u gives no error, and H v is the Gauss-Newton product."""
    hint = "The Jacobian of a linear u is the same everywhere. Does Jᵀ c depend on x, as autograd sees it?"
    assert_linear(student, probes.curved_g, probes.linear_u, hint)


@points(0.5, kind="stability")
def test_both_linear(student):
    """Where g and u are both linear, there is no error, and no curvature, also with weights that need a gradient."""
    hint = "Here the gradient is the same for all x. What is its derivative, and what does autograd say about it?"
    assert_linear(student, probes.linear_g, probes.linear_u, hint)
    hint = "Now the weights inside g and u need a gradient, and so does what is made of them. Does that depend on x?"
    assert_linear(student, probes.linear_g, probes.linear_u, hint, weights=True)


@points(0.5, kind="inputs")
def test_anywhere(student):
    """It works under no_grad, where x needs a gradient, and where x is not a leaf."""
    right = right_results(student)
    hints = {
        "under no_grad": "no_grad holds inside your function, too. Who can switch it off for a few lines?",
        "x needs a gradient": "Of which tensor do you ask the gradient: the caller's x, or one of your own?",
        "x is not a leaf": "Of which tensor do you ask the gradient: the caller's x, or one of your own?",
    }
    for where, hint in hints.items():
        pose(student, 4, 6)
        x, v = place(4)
        with hint_where_raised(hint):
            results = student.run(probes.called, x, v, where)
        for which in right:
            assert_result(results, expected(probes.curved_g, probes.curved_u, x, v), which, f" ({where})", hint)


@points(0.5, kind="inputs")
def test_traces(student):
    """The results are detached, and no .grad and no requires_grad is another one after the call."""
    rests_on_word()
    right_results(student)
    for needs in (False, True):
        numbers = pose(student, 4, 6)
        attached, grads, flags = student.run(probes.traces, *place(4), needs, *numbers)
        given = "x and the weights inside g and u need a gradient" if needs else "nothing needs a gradient before the call"
        if any(attached):
            names = ", ".join(name for name, needing in zip(NAMES, attached, strict=False) if needing)
            hint = "Who will read these results, and does the graph behind them have to stay in memory for it?"
            raise CheckFailed(f"these results need a gradient: {names} ({given})", hint=hint, slip="values")
        if grads:
            told = f"after the call the .grad of {', '.join(grads)} is another one than before ({given})"
            raise CheckFailed(told, hint="Where does backward() put its results, and who else looks there?", slip="inputs")
        if flags:
            told = f"after the call requires_grad of {', '.join(flags)} is another one than before ({given})"
            raise CheckFailed(told, hint="Whose tensor is x? How do you get a leaf of your own?", slip="inputs")


@points(1.5, kind="memory")
def test_memory(student):
    """20,000 numbers take at most 64 MB and 5 seconds: no matrix is formed."""
    hint = "A matrix times a vector is one vector. Which calls give you the product, without the matrix?"
    numbers = torch.rand((), dtype=F64) + 1, torch.rand((), dtype=F64) + 1
    student.run(probes.pose, *numbers)
    probes.pose(None, *numbers)
    x, v = place(6)
    results = three(student.curvature(probes.wide_g, probes.wide_u, x, v))
    right = right_ones(results, expected(probes.wide_g, probes.wide_u, x, v))
    x, v = torch.randn(20_000), torch.randn(20_000)
    wants = products(probes.wide_g, probes.wide_u, x.double(), v.double())
    try:
        with student.limit(seconds=5):
            results = assert_memory(student.curvature, probes.wide_g, probes.wide_u, x, v, at_most=64 * MEGABYTE, hint=hint)
    except StudentFault as fault:  # it ran out of memory, or of time
        fault.hint = fault.hint or hint
        raise
    for which in right:
        assert_result(results, wants, which, " (n = m = 20,000)", hint, precision=F32)


def products(g, u, x, v):
    """The three results without a matrix, by differentiating twice along v."""
    x, grad = x.requires_grad_(), torch.autograd.grad
    y = u(x)
    z, c = y.detach().requires_grad_(), torch.zeros_like(y, requires_grad=True)
    (gradient,) = grad(g(y), x, create_graph=True)
    (slope,) = grad(g(z), z, create_graph=True)
    (pulled,) = grad(y, x, c, create_graph=True)
    (pushed,) = grad(pulled, c, v, retain_graph=True)
    (bent,) = grad(slope, z, pushed)
    (gauss_newton,) = grad(y, x, bent, retain_graph=True)
    (product,) = grad(gradient, x, v)
    return gradient.detach(), product, gauss_newton
