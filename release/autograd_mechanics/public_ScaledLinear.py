"""Public checks: ScaledLinear. You may read and run them; `check("ScaledLinear")` does."""

import torch
from torch import Tensor

from torchgrade import assert_close, points

F64 = torch.float64


def applied(notebook, x: Tensor, weight: Tensor, bias: Tensor | None, scale: float) -> Tensor:
    """What ``apply`` returns."""
    return notebook.ScaledLinear.apply(x, weight, bias, scale)


def after_backward(
    notebook, x: Tensor, weight: Tensor, bias: Tensor, scale: float, cotangent: Tensor
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The ``.grad`` of three leaves after a backward pass."""
    leaves = [tensor.detach().clone().requires_grad_() for tensor in (x, weight, bias)]
    notebook.ScaledLinear.apply(*leaves, scale).backward(cotangent)
    return tuple(leaf.grad for leaf in leaves)


@points(0.5)
def test_by_hand(student):
    """Two rows give what you can work out on paper."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=F64)
    weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=F64)
    bias = torch.tensor([0.5, 0.0, -0.5], dtype=F64)
    expected = torch.tensor([[10.5, 20.0, 29.5], [30.5, 40.0, 69.5]], dtype=F64)
    hint = "The scale is 10: which of 1, 2, 3 and 0.5 are multiplied by it?"
    assert_close(student.run(applied, x, weight, bias, 10.0), expected, precision=F64, scale=100.0, hint=hint)


@points(1, kind="gradients")
def test_after_backward(student):
    """After backward(), input, weight and bias have their right .grad."""
    x, weight, bias = torch.randn(5, 3, dtype=F64), torch.randn(4, 3, dtype=F64), torch.randn(4, dtype=F64)
    scale, cotangent = 2.0 + float(torch.rand(())), torch.randn(5, 4, dtype=F64)
    found = student.run(after_backward, x, weight, bias, scale, cotangent)
    leaves = [tensor.clone().requires_grad_() for tensor in (x, weight, bias)]
    expected = torch.autograd.grad(scale * (leaves[0] @ leaves[1].T) + leaves[2], leaves, cotangent)
    factor = "Does the formula of your backward pass know the scale? gradcheck compares it with small differences."
    hints = (
        {"factor": factor, "values": "The input is multiplied by scale * weight.T. What comes back is multiplied by what?"},
        {"factor": factor, "values": "Which two matrices give a gradient of the shape of weight, summed over the rows?"},
        {
            "factor": "The bias is added after the scale. Which factor stands before it in the formula?",
            "values": "The bias is added to each row. What does each row send back to it, and how do these come together?",
        },
    )
    for name, gradient, want, hint in zip(("input", "weight", "bias"), found, expected, hints, strict=True):
        assert_close(gradient, want, precision=F64, ulps=256, scale=20.0, what=f"the .grad of {name}", hint=hint)
