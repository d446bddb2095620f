"""The losses become float32, on the way through Python's numbers.

Fails: test_cast (dtype)
Says: torch.tensor makes float32 of Python's numbers
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
        gradient = torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
        path.append(w.detach().clone())
        losses.append(loss.item())
    return torch.stack(path), torch.tensor(losses)
