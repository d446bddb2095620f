"""Autocast as a decorator of an inner function."""

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
    @torch.autocast(device_type, dtype=dtype)
    def compute(inputs: Tensor, targets: Tensor) -> Tensor:
        return loss_fn(model(inputs), targets)

    history: list[Tensor] = []
    for inputs, targets in batches:
        loss = compute(inputs.to(device_type, non_blocking=True), targets.to(device_type, non_blocking=True))
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            for_all = (p for g in optimizer.param_groups for p in g["params"])
            nn.utils.clip_grad_norm_(for_all, max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        history.append(loss.detach())
    return torch.stack(history).double().tolist()
