"""Public checks: curvature. You may read and run them; `check("curvature")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, points

F64 = torch.float64


def u(x: Tensor) -> Tensor:
    """From three numbers to two."""
    return torch.stack([x[0] * x[1], x[2] ** 2])


def g(y: Tensor) -> Tensor:
    """From two numbers to one."""
    return y[0] ** 2 * y[1]


def on_paper(x: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the chain rule gives for these two."""
    y, zero = u(x), torch.zeros((), dtype=F64)
    jacobian = torch.stack([torch.stack([x[1], x[0], zero]), torch.stack([zero, zero, 2 * x[2]])])
    slope = torch.stack([2 * y[0] * y[1], y[0] ** 2])
    hessian_of_g = torch.stack([torch.stack([2 * y[1], 2 * y[0]]), torch.stack([2 * y[0], zero])])
    gauss_newton = jacobian.T @ hessian_of_g @ jacobian @ v
    curvature_of_u = slope[0] * torch.stack([v[1], v[0], zero]) + slope[1] * torch.stack([zero, zero, 2 * v[2]])
    return jacobian.T @ slope, gauss_newton + curvature_of_u, gauss_newton


def assert_one(student, which: int, *, what: str, hint: str) -> None:
    """Fail unless one of the three results is right, for random numbers."""
    for _ in range(2):
        x, v = 1 + torch.rand(3, dtype=F64), 1 + torch.rand(3, dtype=F64)
        results = student.curvature(g, u, x, v)
        if not isinstance(results, tuple | list) or len(results) != 3:
            raise CheckFailed("expected three tensors: the gradient, H v and the Gauss-Newton product", slip="type")
        assert_close(
            results[which], on_paper(x, v)[which], precision=F64, scale=300.0, what=what, hint={"values": hint, "shape": hint}
        )


@points(0.5)
def test_gradient_on_paper(student):
    """The gradient of x0² x1² x2² is the one on paper."""
    hint = "What is differentiated, and by what: g by y, or g(u(x)) by x?"
    assert_one(student, 0, what="the gradient", hint=hint)


@points(0.5)
def test_hessian_on_paper(student):
    """H v is the one on paper."""
    hint = "The gradient is a vector. Along which direction do you differentiate it: is v in your product?"
    assert_one(student, 1, what="H v", hint=hint)


@points(1)
def test_gauss_newton_on_paper(student):
    """The Gauss-Newton product is the one on paper."""
    hint = (
        "Read it from the right: J v is a change of y. How does the gradient of g change by it, and what brings that back to x?"
    )
    assert_one(student, 2, what="the Gauss-Newton product", hint=hint)
