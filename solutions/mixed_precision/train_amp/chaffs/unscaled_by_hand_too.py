"""Divides the gradients by the scale, and has the scaler unscale them again.

Fails: test_gradient_below_float16 (values), test_batch_that_overflows (values), test_clipping_to_a_norm (values),
    test_one_step (values), test_small_gradients (values), test_overflow (values), test_stream (values),
    test_precision (values)
Costs: 7.25, because each step is smaller by the scale.
Says: the gradients are divided by the scale twice: by hand, and by the scaler
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
        for p in parameters:
            p.grad.div_(scaler.get_scale())
        if max_norm is not None:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
