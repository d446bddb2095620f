"""Unscales, then calls optimizer.step itself, whether the gradients are finite or not.

Fails: test_batch_that_overflows (nan), test_overflow (values), test_scale_schedule (values)
Says: the optimizer steps by itself, whether the gradients are finite or not
"""

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
    for inputs, targets in batches:
        inputs, targets = inputs.to(device_type), targets.to(device_type)
        optimizer.zero_grad()
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(inputs), targets)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if max_norm is not None:
            nn.utils.clip_grad_norm_(parameters, max_norm)
        optimizer.step()
        scaler.update()
        losses.append(loss.item())
    return losses
