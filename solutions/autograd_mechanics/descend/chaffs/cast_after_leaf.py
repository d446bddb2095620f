"""The leaf is made before the cast: what comes out of the cast has no .grad.

Fails: test_cast (raised)
Says: the leaf is the tensor before the cast, and the gradient is looked for in the one after it
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().clone().requires_grad_().to(dtype or start.dtype)
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        loss = loss_fn(w)
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
