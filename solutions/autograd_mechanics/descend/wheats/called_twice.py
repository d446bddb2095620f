"""The loss is computed once for its value, and once for its gradient."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    path = [start.detach().to(dtype or start.dtype)]
    losses = []
    for _ in range(steps):
        losses.append(loss_fn(path[-1].clone().requires_grad_()).detach().reshape(1))
        leaf = path[-1].clone().requires_grad_()
        loss_fn(leaf).backward()
        path.append(path[-1] - lr * leaf.grad)
    return torch.stack(path), torch.cat([path[0].new_zeros(0), *losses])
