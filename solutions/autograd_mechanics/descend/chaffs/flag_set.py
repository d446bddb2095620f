"""start is asked to need a gradient, and copied only then.

Fails: test_plain_start (inputs), test_view (inputs)
Says: requires_grad_() is called on start itself
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.requires_grad_().detach().clone().to(dtype or start.dtype).requires_grad_()
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
