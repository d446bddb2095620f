"""A new leaf for each step. w.detach() can be kept, since nothing is written into it.

Why: w - lr * g is a new tensor, whose history ends at detach(). The old point is never written to, so the path may keep it without a copy. Only
    the first point shares memory with start, and it is only read; torch.stack copies at the end.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach() if dtype is None else start.detach().to(dtype)
    path, losses = [w], []
    for _ in range(steps):
        w = w.detach().requires_grad_()
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w)[0]
        w = (w - lr * gradient).detach()
        path.append(w)
        losses.append(loss.detach())
    if not losses:
        return torch.stack(path), torch.zeros(0, dtype=w.dtype)
    return torch.stack(path), torch.stack(losses)
