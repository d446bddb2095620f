"""A clone under no_grad, and losses detached together in the end of each step."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        w = start.clone()
        if dtype is not None:
            w = w.type(dtype)
    w.requires_grad_()
    path, losses = w.detach().clone()[None], w.detach().new_tensor([])
    for _ in range(steps):
        with torch.enable_grad():
            loss = loss_fn(w)
        loss.backward()
        w.data.add_(w.grad, alpha=-lr)
        w.grad.zero_()
        path = torch.cat([path, w.detach()[None]])
        losses = torch.cat([losses, loss.detach()[None]])
    return path, losses
