"""Hidden checks: omega."""

import torch

from torchgrade import assert_close, assert_dtype, assert_gradients, points

from .problems import F32, F64, gradients


def omega(x):
    """The reference: Newton's method without a record, then one step of it with one, which has the right derivative."""
    y = torch.where(x > 0, x.detach().clamp(min=0).log1p(), x.detach())
    for _ in range(60):
        y = y - (y + y.exp() - x.detach()) / (1 + y.exp())
    return y - (y + y.exp() - x) / (1 + y.exp())


@points(0.25, kind="gradients")
def test_gradient(student):
    """The gradient of the sum is 1 / (1 + exp(y)), call after call."""
    hint = "Differentiate y + exp(y) = x with respect to x. The derivative is one at the solution y."
    for _ in range(2):
        x = (3 * torch.randn(5, dtype=F64)).requires_grad_()
        found = gradients(student.omega(x), [x], torch.ones(5, dtype=F64))[0]
        expected = torch.autograd.grad(omega(x).sum(), x)[0]
        assert_close(found, expected, precision=F64, ulps=2**12, what="the gradient of the sum", hint=hint)


@points(0.25, kind="gradients")
def test_cotangent(student):
    """Each entry's derivative is multiplied by what arrives from above, in tensors of any shape."""
    hint = "backward is given the gradient with respect to y, and returns it times dy/dx."
    inputs = [(torch.randn(shape, dtype=F64, requires_grad=True),) for shape in ((3, 4), (2, 1, 3), ())]
    assert_gradients(student.omega, reference=omega, inputs=inputs, hint={"values": hint, "shape": hint})


@points(0.25, kind="dtypes")
def test_dtypes_and_calls(student):
    """float32 gives float32, float64 exact float64; two calls before their backward passes do not mix."""
    for dtype in (F32, F64):
        x = torch.randn(3, dtype=dtype)
        result = student.omega(x)
        assert_dtype(result, dtype)
        assert_close(result, omega(x.double()), scale=4.0, precision=dtype, what="the result")
    one, other = (torch.randn(4, dtype=F64, requires_grad=True) for _ in range(2))
    if not (alone := student.omega(one)).requires_grad:
        return  # that is for the checks of the gradient
    (own,) = torch.autograd.grad(alone.sum(), one, allow_unused=True)
    first = student.omega(one)
    student.omega(other)
    (found,) = torch.autograd.grad(first.sum(), one, allow_unused=True)
    if found is not None and own is not None:
        hint = "What the backward pass needs is kept on ctx, by save_for_backward, and not on the class."
        what = "the gradient of the first of two calls, beside the one without the second,"
        assert_close(found, own, precision=F64, what=what, hint=hint)
