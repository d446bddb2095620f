"""The newer form of a Function, with setup_context, and marked as differentiable once."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class ImplicitFunction(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, y0: Tensor, F: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        return find_root(F, x, y0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, _, ctx.F = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor | None, None, None]:
        if not ctx.needs_input_grad[0]:
            return None, None, None
        x, y = ctx.saved_tensors
        dF_dy = torch.func.jacrev(ctx.F, 1)(x, y)
        v = torch.linalg.solve(dF_dy.transpose(0, 1), grad_output.unsqueeze(1)).squeeze(1)
        _, vjp_x = torch.func.vjp(lambda p: ctx.F(p, y), x)
        return vjp_x(v)[0].neg(), None, None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return ImplicitFunction.apply(x, y0.detach(), F)
