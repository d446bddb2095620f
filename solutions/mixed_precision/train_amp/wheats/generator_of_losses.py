"""The loop as a generator, whose losses are collected."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn


def steps(model, loss_fn, optimizer, batches, scaler, device, dtype, max_norm):
    for x, y in map(lambda pair: tuple(t.to(device) for t in pair), batches):
        model.train()
        optimizer.zero_grad()
        with torch.set_grad_enabled(True), torch.autocast(device.type, dtype, enabled=True):
            loss = loss_fn(model(x), y)
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            for_clipping = {id(p): p for g in optimizer.param_groups for p in g["params"]}
            nn.utils.clip_grad_norm_(for_clipping.values(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        yield loss.item()


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
    return list(steps(model, loss_fn, optimizer, batches, scaler, torch.device(device_type), dtype, max_norm))
