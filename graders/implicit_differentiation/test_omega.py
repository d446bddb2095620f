"""Hidden checks: omega."""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, points

from .problems import F32, F64, gradients


def omega(x):
    """The reference: Newton's method without a record, then one step of it with one, which has the right derivative."""
    y = torch.where(x > 0, x.detach().clamp(min=0).log1p(), x.detach())
    for _ in range(60):
        y = y - (y + y.exp() - x.detach()) / (1 + y.exp())
    return y - (y + y.exp() - x) / (1 + y.exp())


_RECORD = "omega_values records nothing for autograd. In CubeRoot, what tells autograd about the gradient?"


@points(0.15, kind="gradients")
def test_gradient(student):
    """The gradient of the sum is 1 / (1 + exp(y)), call after call."""
    hint = "Differentiate y + exp(y) = x with respect to x. The derivative is one at the solution y."
    for _ in range(2):
        x = (3 * torch.randn(5, dtype=F64)).requires_grad_()
        found = gradients(student.omega(x), [x], torch.ones(5, dtype=F64), hint=_RECORD)[0]
        expected = torch.autograd.grad(omega(x).sum(), x)[0]
        # To which digit is for test_dtypes_and_calls.
        assert_close(found, expected, precision=F32, ulps=2**6, what="the gradient of the sum", hint=hint)


@points(0.25, kind="gradients")
def test_cotangent(student):
    """Each entry's derivative is multiplied by what arrives from above, in tensors of any shape."""
    hint = "backward is given the gradient with respect to y, and returns it times dy/dx."
    for shape in ((3, 4), (2, 1, 3), ()):
        x, cotangent = (3 * torch.randn(shape, dtype=F64)).requires_grad_(), torch.randn(shape, dtype=F64)
        result = student.omega(x)
        assert_close(result, omega(x), scale=4.0, precision=F32, ulps=2**6)
        derivative = gradients(result, [x], torch.ones(shape, dtype=F64), hint=_RECORD)[0]
        if shape and (derivative - derivative.flatten()[0]).abs().max() < 1e-3:
            raise CheckFailed("the derivative is the same for every x, so it cannot be that of a curve")
        found = gradients(student.omega(x), [x], cotangent, hint=_RECORD)[0]
        what = "the gradient, beside that of the sum times what arrives,"
        assert_close(found, cotangent * derivative, precision=F32, ulps=2**6, what=what, hint={"values": hint, "shape": hint})


@points(0.25, kind="dtypes")
def test_dtypes_and_calls(student):
    """float32 gives float32, float64 exact float64; two calls before their backward passes do not mix."""
    for dtype in (F32, F64):
        x = torch.randn(3, dtype=dtype, requires_grad=True)
        result = student.omega(x)
        assert_dtype(result, dtype, hint="omega_values keeps the dtype of x. What is cast, and not cast back?")
        assert_close(result, omega(x.double()), scale=4.0, precision=dtype, what="the result")
        if result.requires_grad:
            (found,) = torch.autograd.grad(result.sum(), x, allow_unused=True)
            (expected,) = torch.autograd.grad(omega(x.double()).sum(), x)
            if found is not None and (found - expected).abs().max() < 1e-3:  # one that is wrong is for the other checks
                hint = "float64 has 16 digits: is anything cast to float32 on the way?" if dtype == F64 else ""
                assert_close(found, expected, precision=dtype, ulps=2**12, what="the gradient of the sum", hint=hint)
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
