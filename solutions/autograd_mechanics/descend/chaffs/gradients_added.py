""".grad is never cleared.

Fails: test_path (values), test_shapes (values)
Says: the gradients of all steps add up in .grad
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
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
