"""Casts model and inputs to the low precision, instead of autocast.

Fails: test_gradient_below_float16 (raised), test_two_steps (raised), test_batch_that_overflows (raised),
    test_clipping_to_a_norm (raised), test_autocast (raised), test_one_step (raised), test_gradients_cleared (raised),
    test_losses (raised), test_small_gradients (raised), test_overflow (raised)
Costs: all, because a model in half precision cannot be trained by this loss at all.
Says: the model itself is cast to the low precision, in place of autocast
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
    model.to(dtype)
    losses = []
    for inputs, targets in batches:
        inputs, targets = inputs.to(device_type), targets.to(device_type)
        optimizer.zero_grad()
        loss = loss_fn(model(inputs.to(dtype)), targets)
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
