"""Walks through an iterator by hand, and keeps the losses on the device to the end."""

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
    iterator = iter(batches)
    losses = []
    while True:
        try:
            x, y = next(iterator)
        except StopIteration:
            break
        x, y = x.to(device_type), y.to(device_type)
        optimizer.zero_grad(set_to_none=False)
        context = torch.autocast(device_type=device_type, dtype=dtype)
        context.__enter__()
        try:
            loss = loss_fn(model(x), y)
        finally:
            context.__exit__(None, None, None)
        torch.autograd.backward(scaler.scale(loss))
        if max_norm is not None:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], max_norm, norm_type=2)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach().clone())
    return [float(value) for value in losses]
