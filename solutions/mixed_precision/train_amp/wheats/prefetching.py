"""Reads one batch ahead, to copy it while the current one trains."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn


def prefetch(batches, device):
    """Yield each batch only when the next one is on its way."""
    waiting = None
    for x, y in batches:
        coming = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        if waiting is not None:
            yield waiting
        waiting = coming
    if waiting is not None:
        yield waiting


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
    stream = prefetch(batches, device_type)
    losses = []
    for x, y in stream:
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
