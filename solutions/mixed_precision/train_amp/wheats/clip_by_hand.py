"""Clips with a factor of its own, computed from the norms of all gradients."""

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
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    losses = []
    for x, y in batches:
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(x.to(device_type)), y.to(device_type))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if max_norm is not None:
            gradients = [p.grad for p in parameters if p.grad is not None]
            norm = torch.stack([g.norm() for g in gradients]).norm()
            factor = torch.clamp(max_norm / norm, max=1.0)
            for g in gradients:
                g.mul_(factor)
        scaler.step(optimizer)
        scaler.update()
        for p in parameters:
            if p.grad is not None:
                p.grad.zero_()
        losses.append(loss.item())
    return losses
