"""Hidden checks: omega."""

import torch

from torchgrade import assert_close, assert_dtype, assert_gradients, points

F32, F64 = torch.float32, torch.float64


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
        x = 3 * torch.randn(5, dtype=F64, requires_grad=True)
        inputs = [(x.detach().requires_grad_(),)]
        assert_gradients(lambda x: student.omega(x).sum(), reference=lambda x: omega(x).sum(), inputs=inputs, hint=hint)


@points(0.25, kind="gradients")
def test_cotangent(student):
    """Each entry's derivative is multiplied by what arrives from above, in tensors of any shape."""
    hint = "backward is given the gradient with respect to y, and returns it times dy/dx."
    inputs = [(torch.randn(shape, dtype=F64, requires_grad=True),) for shape in ((3, 4), (2, 1, 3), ())]
    assert_gradients(student.omega, reference=omega, inputs=inputs, hint={"values": hint, "shape": hint})


@points(0.25, kind="dtypes")
def test_dtypes_and_calls(student):
    """float32 gives float32, float64 gives float64; two calls before their backward passes do not mix."""
    for dtype in (F32, F64):
        assert_dtype(student.omega(torch.randn(3, dtype=dtype)), dtype)
    one, other = (torch.randn(4, dtype=F64, requires_grad=True) for _ in range(2))
    first, second = student.omega(one), student.omega(other)
    alone = student.omega(one)
    assert second.shape == first.shape
    if not first.requires_grad:
        return  # that is for the checks of the gradient
    found, own = (torch.autograd.grad(y.sum(), one, allow_unused=True)[0] for y in (first, alone))
    if found is not None and own is not None:
        hint = "What the backward pass needs is kept on ctx, by save_for_backward, and not on the class."
        assert_close(found, own, precision=F64, what="the gradient of the first of two calls", hint=hint)
