"""torch.bmm and baddbmm, on tensors by name; each loss gets its own seed of 1 in backward."""

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
    w1, b1, w2, b2 = (params[name].clone().requires_grad_(True) for name in ("w1", "b1", "w2", "b2"))

    def predict(inputs):
        hidden = torch.baddbmm(b1[:, None, :], inputs[:, :, None], w1).tanh()
        return torch.baddbmm(b2[:, None, :], hidden, w2)[:, :, 0]

    optimizer = make_optimizer([w1, b1, w2, b2])
    for s in range(x.shape[0]):
        optimizer.zero_grad()
        losses = ((predict(x[s]) - y[s]) ** 2).sum(dim=1)
        losses.backward(torch.ones_like(losses))
        optimizer.step()
    predictions = predict(grid.repeat(x.shape[1], 1)).detach()
    band = predictions.quantile(torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {"w1": w1.detach(), "b1": b1.detach(), "w2": w2.detach(), "b2": b2.detach()}, band
