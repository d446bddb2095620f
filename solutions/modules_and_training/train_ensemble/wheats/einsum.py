"""einsum, and a zero_grad after the step."""

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
    trained = {name: torch.nn.Parameter(given.detach().clone()) for name, given in params.items()}

    def predict(inputs):
        hidden = torch.einsum("mb,mh->mbh", inputs, trained["w1"][:, 0]) + trained["b1"][:, None]
        return torch.einsum("mbh,mh->mb", hidden.tanh(), trained["w2"][..., 0]) + trained["b2"]

    optimizer = make_optimizer([trained[name] for name in params])
    for inputs, targets in zip(x, y):
        ((predict(inputs) - targets) ** 2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    predictions = predict(grid[None].expand(len(trained["b2"]), len(grid))).detach()
    band = torch.stack([torch.quantile(predictions, level, dim=0) for level in (0.025, 0.5, 0.975)])
    return {name: tensor.data for name, tensor in trained.items()}, band
