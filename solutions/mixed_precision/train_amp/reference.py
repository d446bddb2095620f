"""Scale, backward, unscale, clip, step, update, in this order, with autocast around the forward pass and the loss.

Why: Each block begins and ends where it must. Autocast is entered for each step and left before backward(), which
    uses each operation's own dtypes. scale(loss) lifts small gradients into float16's range. unscale_ comes before
    clipping, so that true gradients are compared with max_norm, and the parameters are the optimizer's, which may
    hold some of the loss's own. step() leaves out a step whose gradients are not finite, and update() lowers the
    scale then. The losses are kept as tensors and read at the end: one wait for the GPU, and not one for each step.
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
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    losses = []
    for inputs, targets in batches:
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
        losses.append(loss.detach())
    return [loss.item() for loss in losses]
