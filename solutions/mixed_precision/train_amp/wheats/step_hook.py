"""The optimizer clips by itself, in a hook before its step, which a step that is left out never reaches."""

from collections.abc import Callable, Iterable
from contextlib import contextmanager

import torch
from torch import Tensor, nn


@contextmanager
def clipping(optimizer: torch.optim.Optimizer, max_norm: float | None):
    def clip(optimizer, args, kwargs):
        torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], max_norm)

    if max_norm is None:
        yield
        return
    handle = optimizer.register_step_pre_hook(clip)
    try:
        yield
    finally:
        handle.remove()


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
    with clipping(optimizer, max_norm):
        for inputs, targets in batches:
            optimizer.zero_grad()
            with torch.autocast(device_type, dtype):
                loss = loss_fn(
                    model(inputs.to(device_type, non_blocking=True)),
                    targets.to(device_type, non_blocking=True),
                )
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)  # before step(), so that the hook sees true gradients with every optimizer
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach().clone())
    return [loss.item() for loss in losses]
