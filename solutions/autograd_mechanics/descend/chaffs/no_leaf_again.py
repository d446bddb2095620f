"""Under no_grad a new w is computed, which needs no gradient.

Fails: test_path, test_losses, test_shapes, test_cast, test_start, test_plain_start, test_view, test_origin, test_detached, test_leaf, test_graphs
Costs: 7.5, because the second step raises.
Says: w - lr * gradient is computed under no_grad, and the new w needs no gradient
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
            w = w - lr * gradient
        path.append(w.detach().clone())
        losses.append(loss.detach())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
