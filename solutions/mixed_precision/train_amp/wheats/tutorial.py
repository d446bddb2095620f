"""The loop as the tutorials write it: zero_grad at the end, unscale always, clip if asked.

Why: The loop as PyTorch's tutorials write it. It unscales always, which is harmless: step() does it anyway where
    nobody has. The gradients are cleared at the end of a step, which comes to the same as at its beginning.
    loss.item() waits for the GPU once for each step: simple, and slower only where steps are very short.
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
        x = x.to(device_type)
        y = y.to(device_type)
        with torch.amp.autocast(device_type=device_type, dtype=dtype):
            output = model(x)
            loss = loss_fn(output, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if max_norm:
            params = [p for group in optimizer.param_groups for p in group["params"]]
            torch.nn.utils.clip_grad_norm_(params, max_norm=max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    return losses
