"""What runs beside the student's class, which does not cross the wall."""

from typing import Any

import torch
from torch import Tensor

from torchgrade import saved_for_backward


def applied(notebook: Any, x: Tensor, weight: Tensor, bias: Tensor | None, scale: float) -> Tensor:
    """What ``apply`` returns."""
    return notebook.ScaledLinear.apply(x, weight, bias, scale)


def edited(notebook: Any, x: Tensor, weight: Tensor, cotangent: Tensor, factor: float, *, edit_input: bool) -> Tensor:
    """The gradient of the weight after the input was multiplied by a factor in place, or that of the input after the weight was.

    Neither is a leaf, so autograd lets them be edited.
    """
    x, weight = (tensor.detach().clone().requires_grad_() for tensor in (x, weight))
    mine, its = x.clone(), weight.clone()
    result = notebook.ScaledLinear.apply(mine, its, weight.new_zeros(len(weight)), 1.0)
    with torch.no_grad():
        (mine if edit_input else its).mul_(factor)
    return torch.autograd.grad(result, weight if edit_input else x, cotangent)[0]


def saved(notebook: Any, x: Tensor, weight: Tensor, bias: Tensor, needs: list[bool]) -> tuple[Tensor, int]:
    """The result of a call in which some inputs need a gradient, and how many numbers autograd saved for it."""
    leaves = [tensor.detach().clone().requires_grad_(need) for tensor, need in zip((x, weight, bias), needs, strict=True)]
    with saved_for_backward() as kept:
        result = notebook.ScaledLinear.apply(*leaves, 1.0)
    return result.detach(), kept.numbers
