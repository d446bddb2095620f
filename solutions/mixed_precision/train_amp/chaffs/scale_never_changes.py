"""Unscales by hand and steps where the gradients are finite, but never changes the scale.

Fails: test_batch_that_overflows, test_overflow (values), test_scale_schedule (values)
Says: the scale is set by hand and never comes down
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
        inverse = 1 / scaler.get_scale()
        for p in parameters:
            p.grad.mul_(inverse)
        if max_norm is not None:
            nn.utils.clip_grad_norm_(parameters, max_norm)
        if all(p.grad.isfinite().all() for p in parameters):
            optimizer.step()
        losses.append(loss.item())
    return losses
