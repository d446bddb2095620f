"""Public checks: omega. You may read and run them; `check("omega")` does."""

import torch

from torchgrade import CheckFailed, assert_close, assert_shape, points


@points(0.25)
def test_values(student):
    """omega(1) is 0, omega(1 + e) is 1, and omega(-1 + 1/e) is -1."""
    e = torch.tensor(1.0).exp()
    x = torch.stack([torch.tensor(1.0), 1 + e, -1 + 1 / e])
    hint = "omega_values has them: return what it gives."
    assert_close(student.omega(x), torch.tensor([0.0, 1.0, -1.0]), scale=4.0, hint=hint)
    again = "the result for the same numbers in another order"
    assert_close(student.omega(x.flip(0)), torch.tensor([-1.0, 1.0, 0.0]), scale=4.0, what=again, hint=hint)


@points(0.1, kind="gradients")
def test_slopes(student):
    """At 1 the slope is 0.5, at 1 + e it is 0.2689, and at -1 + 1/e it is 0.7311."""
    e = torch.tensor(1.0, dtype=torch.float64).exp()
    x = torch.stack([e / e, 1 + e, -1 + 1 / e]).requires_grad_()
    y = student.omega(x)
    assert_shape(y, (3,))
    if not y.requires_grad:
        hint = "omega_values records nothing for autograd. In CubeRoot, what tells autograd about the gradient?"
        raise CheckFailed("the result has no gradient, although x asks for one", hint=hint, slip="detached")
    slopes = torch.autograd.grad(y, x, torch.ones_like(y))[0]
    hint = "Differentiate y + exp(y) = x on paper: both terms depend on x. The slope is one at the solution y, and not at x."
    expected = torch.tensor([0.5, 0.26894142, 0.73105858])
    assert_close(slopes, expected, precision=torch.float32, ulps=256, what="the slope at the three points", hint=hint)
