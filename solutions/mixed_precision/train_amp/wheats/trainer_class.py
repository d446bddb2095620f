"""A small trainer object with one method for a step."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn


class Trainer:
    def __init__(self, model, loss_fn, optimizer, scaler, device, dtype, max_norm):
        self.model, self.loss_fn, self.optimizer, self.scaler = model, loss_fn, optimizer, scaler
        self.device, self.dtype, self.max_norm = device, dtype, max_norm

    def parameters(self):
        for group in self.optimizer.param_groups:
            yield from group["params"]

    def clip(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.parameters(), self.max_norm, foreach=False)

    def step(self, inputs, targets):
        for parameter in self.parameters():
            parameter.grad = None
        with torch.autocast(self.device.type, dtype=self.dtype):
            loss = self.loss_fn(self.model(inputs.to(self.device)), targets.to(self.device))
        self.scaler.scale(loss).backward()
        if self.max_norm is not None:
            self.clip()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()


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
    trainer = Trainer(model, loss_fn, optimizer, scaler, torch.device(device_type), dtype, max_norm)
    return [trainer.step(*batch) for batch in batches]
