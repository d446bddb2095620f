"""A forward pass, an optimizer step and the loop, in cells of their own."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn


def forward(model, loss_fn, inputs, targets, device_type, dtype):
    device = torch.device(device_type)
    with torch.autocast(device_type, dtype=dtype):
        return loss_fn(model(inputs.to(device)), targets.to(device))


# %%
def finish(optimizer, scaler, max_norm):
    if max_norm is not None:
        scaler.unscale_(optimizer)
        everything = []
        for group in optimizer.param_groups:
            everything.extend(group["params"])
        nn.utils.clip_grad_norm_(everything, max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


# %%


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
    for inputs, targets in batches:
        loss = forward(model, loss_fn, inputs, targets, device_type, dtype)
        scaler.scale(loss).backward()
        finish(optimizer, scaler, max_norm)
        losses.append(float(loss))
    return losses
