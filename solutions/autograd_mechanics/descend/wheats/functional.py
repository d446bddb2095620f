"""torch.func computes gradient and loss; it hands loss_fn a leaf of its own."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().to(dtype or start.dtype).clone()
    step = torch.func.grad_and_value(loss_fn)
    path, losses = [w], []
    for _ in range(steps):
        gradient, loss = step(w)
        w = w - lr * gradient
        path.append(w)
        losses.append(loss)
    return torch.stack(path), torch.stack(losses) if losses else w.new_zeros(0)
