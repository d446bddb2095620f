"""The loss of the last point is there as well.

Fails: test_losses (shape), test_no_steps (shape)
Says: there is a loss for the last point, after which there is no step
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
        losses.append(loss.detach())
    losses.append(loss_fn(w).detach())
    return torch.stack(path), torch.stack(losses)
