"""w is a copy with a graph: backward goes on to where start came from.

Fails: test_start (values), test_origin (raised), test_leaf
Says: w is a clone with a graph, and backward goes on to start and beyond
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.clone() if start.requires_grad else start.clone().requires_grad_()
    w = w.to(dtype or start.dtype)
    if not w.is_leaf:
        w.retain_grad()
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        loss = loss_fn(w)
        loss.backward()
        w = (w.detach() - lr * w.grad).requires_grad_()
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
