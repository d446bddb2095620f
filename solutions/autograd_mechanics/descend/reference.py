"""A leaf of its own memory; points and losses are copied out of each step.

Why: detach gives the numbers without the graph, clone gives them memory of their own, and only both together leave start and all that it came
    from alone. requires_grad_ comes last, after the cast, so that the tensor which loss_fn sees is the leaf. The step is taken in place under
    no_grad, so it stays that leaf. What is kept from each step is a copy: w.detach() would be moved by the next step.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = start.detach().clone().to(dtype or start.dtype).requires_grad_()
    path = torch.empty(steps + 1, *w.shape, dtype=w.dtype)
    losses = path.new_empty(steps)
    path[0] = w.detach()
    for step in range(steps):
        loss = loss_fn(w)
        (gradient,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= lr * gradient
        losses[step], path[step + 1] = loss.detach(), w.detach()
    return path, losses
