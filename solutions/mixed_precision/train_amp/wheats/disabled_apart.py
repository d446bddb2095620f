"""Treats a disabled scaler as a case of its own."""

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
    device = next(model.parameters()).device
    use_scaler = scaler.is_enabled()
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        with torch.autocast(device_type=device_type, dtype=dtype):
            loss = loss_fn(model(x.to(device)), y.to(device))
        if use_scaler:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
        else:
            loss.backward()
        if max_norm is not None:
            params = sum((group["params"] for group in optimizer.param_groups), [])
            nn.utils.clip_grad_norm_(params, max_norm)
        if use_scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        losses.append(loss.item())
    return losses
