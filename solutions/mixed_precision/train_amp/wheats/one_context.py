"""One autocast object, entered anew for each step."""

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
    autocast = torch.autocast(device_type, dtype)
    everything = [p for group in optimizer.param_groups for p in group["params"]]
    losses = []
    for step, (x, y) in enumerate(batches):
        with autocast:
            prediction = model(x.to(device_type))
            loss = loss_fn(prediction, y.to(device_type))
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.unscale_(optimizer)
        if max_norm is not None:
            total = nn.utils.get_total_norm([p.grad for p in everything if p.grad is not None])
            nn.utils.clip_grads_with_norm_(everything, max_norm, total)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert len(losses) == step + 1
    return losses
