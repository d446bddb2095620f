"""Public checks: fake_quantize. You may read and run them; `check("fake_quantize")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, points

F32, F64 = torch.float32, torch.float64


def inside(*shape):
    """Numbers z well inside the range of 8 bits, and not near a half: their fraction is between 0.1 and 0.4, up or down."""
    fraction = 0.1 + 0.3 * torch.rand(shape, dtype=F64)
    return torch.randint(-90, 90, shape) + fraction * (2 * torch.randint(2, shape) - 1)


@points(1)
def test_by_hand(student):
    """[0.6, 1.2, -1.3] on a grid of 0.5 becomes [0.5, 1, -1.5]."""
    hint = {
        "values": "What is 1.2 / 0.5, and which whole number is nearest? The result is a number of the grid, in the size of x.",
        "factor": "Is the result back in the size of x?",
    }
    for x, scale, expected in (
        ([0.6, 1.2, -1.3], 0.5, [0.5, 1.0, -1.5]),
        ([[0.6, 7.0], [-2.7, -0.9]], 2.0, [[0.0, 8.0], [-2.0, 0.0]]),
    ):
        assert_close(student.fake_quantize(torch.tensor(x), torch.tensor(scale)), torch.tensor(expected), scale=8.0, hint=hint)


def after_backward(notebook, x: Tensor, scale: Tensor, cotangent: Tensor, of_scale: bool) -> Tensor | None:
    """What ``backward`` leaves in the ``.grad`` of ``x``, or of ``scale``."""
    leaf = (scale if of_scale else x).clone().requires_grad_()
    result = notebook.fake_quantize(x, leaf) if of_scale else notebook.fake_quantize(leaf, scale)
    if result.requires_grad:
        result.backward(cotangent)
    return leaf.grad


@points(1.5, kind="gradients")
def test_gradient_of_x(student):
    """Inside the range x gets the gradient that arrives, as if nobody had rounded."""
    scale, cotangent = 0.5 + torch.rand((), dtype=F64), torch.randn(4, 5, dtype=F64)
    gradient = student.run(after_backward, scale * inside(4, 5), scale, cotangent, of_scale=False)
    if gradient is None:
        hint = "Something has to be left out of the way back, but not x itself."
        raise CheckFailed("the .grad of x is None after backward", hint=hint, slip="detached")
    hint = "What is the derivative of round, nearly everywhere? Which operation has to be left out of the way back?"
    assert_close(gradient, cotangent, scale=4.0, precision=F32, what="the gradient of x", hint=hint)


@points(1, kind="gradients")
def test_gradient_of_scale(student):
    """Inside the range scale gets round(z) - z, where z = x / scale."""
    for _ in range(3):
        scale, z, cotangent = 0.5 + torch.rand((), dtype=F64), inside(4, 5), torch.randn(4, 5, dtype=F64)
        gradient = student.run(after_backward, scale * z, scale, cotangent, of_scale=True)
        if gradient is None:
            hint = "scale is learned too: in which line does autograd lose it?"
            raise CheckFailed("the .grad of scale is None after backward", hint=hint, slip="detached")
        hint = "scale stands in two places: z = x / scale, and the product at the end. Does each give its part?"
        expected = (cotangent * (z.round() - z)).sum()
        assert_close(gradient, expected, scale=200.0, precision=F32, what="the gradient of scale", hint=hint)
