"""torch.tensor copies the numbers, and nothing else."""

from collections.abc import Callable

import torch
from torch import Tensor


def descend(
    loss_fn: Callable[[Tensor], Tensor], start: Tensor, *, steps: int, lr: float, dtype: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    dtype = start.dtype if dtype is None else dtype
    w = torch.tensor(start.tolist(), dtype=dtype, requires_grad=True)
    path, losses = [torch.tensor(w.tolist(), dtype=dtype)], []
    for _ in range(steps):
        loss = loss_fn(w)
        loss.backward()
        w = torch.tensor((w.detach() - lr * w.grad).tolist(), dtype=dtype, requires_grad=True)
        losses.append(float(loss))
        path.append(torch.tensor(w.tolist(), dtype=dtype))
    return torch.stack(path), torch.tensor(losses, dtype=dtype)
