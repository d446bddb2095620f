"""Forgets the last batch.

Fails: test_gradient_below_float16 (values), test_two_steps (values), test_batch_that_overflows,
    test_clipping_to_a_norm (values), test_autocast (dtype), test_one_step (values), test_gradients_cleared (values),
    test_disabled_scaler (values), test_losses (shape), test_small_gradients (values), test_overflow (shape)
Costs: all, because with one batch nothing is trained at all.
Says: the last batch is never trained on
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
    waiting = None
    for coming in batches:
        waiting, (inputs, targets) = coming, waiting or (None, None)
        if inputs is None:
            continue
        inputs, targets = inputs.to(device_type), targets.to(device_type)
        optimizer.zero_grad()
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(inputs), targets)
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
