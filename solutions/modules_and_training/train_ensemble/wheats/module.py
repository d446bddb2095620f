"""The ensemble is one nn.Module, whose parameters() go to the optimizer."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.optim import Optimizer


class Ensemble(nn.Module):
    def __init__(self, params: dict[str, Tensor]):
        super().__init__()
        for name, given in params.items():
            self.register_parameter(name, nn.Parameter(given.detach().clone()))

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.tanh(x[..., None] * self.w1 + self.b1[:, None, :])
        return (hidden * self.w2.mT).sum(-1) + self.b2


def train_ensemble(
    params: dict[str, Tensor],
    x: Tensor,
    y: Tensor,
    make_optimizer: Callable[[list[Tensor]], Optimizer],
    grid: Tensor,
) -> tuple[dict[str, Tensor], Tensor]:
    model = Ensemble(params)
    optimizer = make_optimizer(list(model.parameters()))
    for step in range(len(x)):
        loss = torch.sum((model(x[step]) - y[step]) ** 2, dim=1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        predictions = model(grid.unsqueeze(0).repeat(x.shape[1], 1))
        lower, middle, upper = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {name: value.clone() for name, value in model.state_dict().items()}, torch.stack((lower, middle, upper))
