"""Trained together; the band's predictions are made member by member.

Fails: test_operations
Says: the predictions for the band are made by a loop over the members
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
        hidden = torch.tanh(inputs.unsqueeze(2) @ trained["w1"] + trained["b1"].unsqueeze(1))
        return (hidden @ trained["w2"] + trained["b2"].unsqueeze(1)).squeeze(2)

    optimizer = make_optimizer(list(trained.values()))
    for inputs, targets in zip(x, y, strict=True):
        loss = (predict(inputs) - targets).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        predictions = torch.stack(
            [
                (torch.tanh(grid[:, None] @ trained["w1"][m] + trained["b1"][m]) @ trained["w2"][m] + trained["b2"][m])[:, 0]
                for m in range(x.shape[1])
            ]
        )
        band = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {name: tensor.detach() for name, tensor in trained.items()}, band
