"""One step, then the rest."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    point = start.detach().to(dtype or start.dtype, copy=True)
    if steps == 0:
        return point.unsqueeze(0), torch.empty(0, dtype=point.dtype)
    leaf = point.clone().requires_grad_()
    loss = loss_fn(leaf)
    gradient = torch.autograd.grad(loss, leaf)[0]
    loss = loss.detach()
    path, losses = descend(loss_fn, point - lr * gradient, steps=steps - 1, lr=lr)
    return torch.cat([point.unsqueeze(0), path]), torch.cat([loss.reshape(1), losses])
