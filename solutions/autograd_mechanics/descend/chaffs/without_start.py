"""The path begins after the first step.

Fails: test_path (shape), test_shapes (shape), test_no_steps
Says: the path lacks its first point, the start
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().clone().to(dtype or start.dtype).requires_grad_()
    path, losses = [], []
    for _ in range(steps):
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path) if path else w.detach()[None][:0], torch.stack(losses) if losses else w.detach().new_zeros(0)
