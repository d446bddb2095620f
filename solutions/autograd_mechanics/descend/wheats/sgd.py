"""The library's optimizer, on a parameter of its own."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    w = torch.nn.Parameter(start.detach().clone().to(dtype or start.dtype))
    optimizer = torch.optim.SGD([w], lr=lr)
    path, losses = [w.detach().clone()], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_fn(w)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        path.append(w.detach().clone())
    return torch.stack(path), torch.stack(losses) if losses else path[0].new_zeros(0)
