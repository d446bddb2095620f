"""The predictions for the band are computed with a graph.

Fails: test_detached (values)
Says: the band hangs on a graph
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
    predictions = predict(grid.expand(x.shape[1], -1))
    band = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {name: tensor.detach() for name, tensor in trained.items()}, band
