"""Both results are made first, and filled under no_grad; gradients are cleared at the end of a step."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    path = torch.zeros(steps + 1, *start.shape, dtype=dtype or start.dtype)
    losses = torch.zeros(steps, dtype=path.dtype)
    with torch.no_grad():
        path[0] = start
    for i in range(steps):
        w = path[i].clone().requires_grad_(True)
        loss = loss_fn(w)
        loss.backward()
        with torch.no_grad():
            losses[i] = loss
            path[i + 1] = w - lr * w.grad
    return path, losses
