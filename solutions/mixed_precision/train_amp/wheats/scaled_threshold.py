"""Clips the scaled gradients to the scaled norm, which comes to the same.

Why: Instead of unscaling the gradients, it scales the threshold: a norm is homogeneous, so the scaled gradients
    exceed max_norm times the scale exactly where the true ones exceed max_norm. step() unscales afterwards. It is
    right, and easy to get wrong: whoever forgets the factor clips gradients 65536 times too hard.
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
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        with torch.autocast(device_type=device_type, dtype=dtype):
            loss = loss_fn(model(x.to(device_type)), y.to(device_type))
        scaler.scale(loss).backward()
        if max_norm is not None:
            held = [p for group in optimizer.param_groups for p in group["params"]]
            nn.utils.clip_grad_norm_(held, max_norm * scaler.get_scale())
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
