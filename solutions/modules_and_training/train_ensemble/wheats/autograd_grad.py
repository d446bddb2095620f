"""torch.autograd.grad, and members last in memory: [B, M] inside."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.optim import Optimizer


def train_ensemble(
    params: dict[str, Tensor],
    x: Tensor,
    y: Tensor,
    make_optimizer: Callable[[list[Tensor]], Optimizer],
    grid: Tensor,
) -> tuple[dict[str, Tensor], Tensor]:
    w1, b1, w2, b2 = trained = [params[name].detach().clone().requires_grad_() for name in ("w1", "b1", "w2", "b2")]

    def predict(inputs):  # [B, M] to [B, M]
        hidden = torch.tanh(inputs[:, :, None] * w1[:, 0] + b1)
        return (hidden * w2[:, :, 0]).sum(dim=2) + b2[:, 0]

    optimizer = make_optimizer(trained)
    for inputs, targets in zip(x.mT, y.mT):
        loss = (predict(inputs) - targets).pow(2).sum()
        for tensor, gradient in zip(trained, torch.autograd.grad(loss, trained)):
            tensor.grad = gradient
        optimizer.step()
    with torch.no_grad():
        predictions = predict(grid[:, None].expand(-1, x.shape[1]))
        band = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=1)
    return {name: tensor.detach() for name, tensor in zip(("w1", "b1", "w2", "b2"), trained)}, band
