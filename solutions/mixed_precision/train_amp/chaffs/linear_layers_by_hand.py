"""Casts the linear layers by hand, and uses autocast for the loss only.

Fails: test_autocast (dtype)
Says: layers are cast by hand, in place of autocast around the forward pass
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
        copies = {}
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear):
                copies |= {f"{name}.{key}": weight.to(dtype) for key, weight in module.named_parameters()}
        output = torch.func.functional_call(model, copies, (inputs.to(dtype),))
        with torch.autocast(device_type, dtype):
            loss = loss_fn(output, targets)
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
