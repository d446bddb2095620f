"""backward, .grad and .data, as older code has it."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.data.clone().to(start.dtype if dtype is None else dtype)
    w.requires_grad = True
    path = [w.data.clone()]
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = loss_fn(w)
        loss.backward()
        w.data -= lr * w.grad
        path.append(w.data.clone())
        losses.append(loss.item())
    return torch.stack(path), torch.tensor(losses, dtype=w.dtype)
