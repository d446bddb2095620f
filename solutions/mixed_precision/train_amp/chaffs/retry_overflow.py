"""Trains a batch that overflowed once more, at the lower scale.

Fails: test_batch_that_overflows (values), test_overflow (values), test_scale_schedule (values)
Says: a batch that overflowed is trained once more
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
        for _ in range(2):
            optimizer.zero_grad()
            with torch.autocast(device_type, dtype):
                loss = loss_fn(model(inputs), targets)
            before = scaler.get_scale()
            scaler.scale(loss).backward()
            if max_norm is not None:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(parameters, max_norm)
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= before:
                break
        losses.append(loss.item())
    return losses
