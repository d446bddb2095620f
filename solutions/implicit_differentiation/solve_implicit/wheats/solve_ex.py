"""solve_ex says whether the matrix could be factored; if not, an error that names the cause."""

import torch


class Implicit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, F, y0):
        y = find_root(F, x.detach(), y0.detach())
        ctx.save_for_backward(x, y)
        ctx.F = F
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        F = ctx.F
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            residual = F(x, y.detach())
        jacobian = torch.func.jacfwd(lambda y: F(x.detach(), y))(y)
        weights, info = torch.linalg.solve_ex(jacobian.mT, grad)
        if info.item() != 0:
            raise ArithmeticError("dF/dy is singular: dy/dx is not defined here")
        (result,) = torch.autograd.grad(residual, x, -weights, allow_unused=True, materialize_grads=True)
        return result, None, None


def solve_implicit(F, x, y0):
    return Implicit.apply(x, F, y0)
