"""The descent runs in the dtype of start, and the results are cast.

Fails: test_cast (values)
Says: the dtype is applied to the results, and the steps are computed in another
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().clone().requires_grad_()
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
        path.append(w.detach().clone())
        losses.append(loss.detach())
    dtype = dtype or start.dtype
    return torch.stack(path).to(dtype), torch.stack(losses).to(dtype) if losses else torch.zeros(0, dtype=dtype)
