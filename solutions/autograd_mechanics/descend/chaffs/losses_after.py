"""The losses are those after each step.

Fails: test_losses (values)
Says: the losses are computed after the steps
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().clone().to(dtype or start.dtype).requires_grad_()
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
        path.append(w.detach().clone())
        losses.append(loss_fn(w).detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
