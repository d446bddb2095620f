"""Differentiates through all steps: each w is computed from the one before.

Fails: test_detached, test_leaf, test_graphs
Says: each point is computed from the one before with a graph, and no step begins a new one
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.to(dtype or start.dtype)
    w = w if w.requires_grad else w.detach().requires_grad_()
    path, losses = [w], []
    for _ in range(steps):
        loss = loss_fn(w)
        gradient = torch.autograd.grad(loss, w, create_graph=True)[0]
        w = w - lr * gradient
        path.append(w)
        losses.append(loss)
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
