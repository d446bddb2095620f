"""One optimizer for all, but the losses are added up member by member.

Fails: test_operations, test_speed
Says: each step has a loop over the members
"""

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
    trained = {name: given.detach().clone().requires_grad_() for name, given in params.items()}

    def predict(inputs: Tensor) -> Tensor:
        rows = []
        for m, row in enumerate(inputs):
            hidden = torch.tanh(row.unsqueeze(1) @ trained["w1"][m] + trained["b1"][m])
            rows.append((hidden @ trained["w2"][m] + trained["b2"][m]).squeeze(1))
        return torch.stack(rows)

    optimizer = make_optimizer(list(trained.values()))
    for inputs, targets in zip(x, y, strict=True):
        loss = (predict(inputs) - targets).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        predictions = predict(grid.expand(x.shape[1], -1))
        band = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {name: tensor.detach() for name, tensor in trained.items()}, band
