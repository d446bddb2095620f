"""Asks autograd for the gradients and puts them where the optimizer looks for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn


def train_amp(
    model: nn.Module,
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    optimizer: torch.optim.Optimizer,
    batches: Iterable[tuple[Tensor, Tensor]],
    scaler: torch.amp.GradScaler,
    *,
    device_type: str = "cuda",
    dtype: torch.dtype = torch.float16,
    max_norm: float | None = None,
) -> list[float]:
    params = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    losses = []
    for x, y in batches:
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(x.to(device_type)), y.to(device_type))
        for p, gradient in zip(params, torch.autograd.grad(scaler.scale(loss), params, allow_unused=True)):
            p.grad = gradient
        scaler.unscale_(optimizer)
        if max_norm is not None:
            nn.utils.clip_grad_norm_(params, max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
