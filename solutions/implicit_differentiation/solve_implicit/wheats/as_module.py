"""A layer, as one would put it into a network: it searches without a record, then re-enters the graph by a custom step."""

import torch
from torch import nn


class Reenter(torch.autograd.Function):
    """The solution going out; coming back, the cotangent is replaced by the adjoint."""

    @staticmethod
    def forward(ctx, residual, y, slope):
        ctx.save_for_backward(slope)
        return y.clone()

    @staticmethod
    def backward(ctx, cotangent):
        (slope,) = ctx.saved_tensors
        return -torch.linalg.solve(slope.transpose(0, 1), cotangent), None, None


class ImplicitLayer(nn.Module):
    def __init__(self, F):
        super().__init__()
        self.F = F

    def forward(self, x, y0):
        with torch.no_grad():
            y = find_root(self.F, x, y0)
        if not (x.requires_grad and torch.is_grad_enabled()):
            return y
        slope = torch.func.jacrev(self.F, argnums=1)(x.detach(), y)
        return Reenter.apply(self.F(x, y), y, slope)


def solve_implicit(F, x, y0):
    return ImplicitLayer(F)(x, y0)
