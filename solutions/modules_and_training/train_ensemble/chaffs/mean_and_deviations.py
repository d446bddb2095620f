"""Mean and 1.96 deviations, as if the predictions were normally distributed.

Fails: test_band_by_hand (values), test_band (values)
Says: the band is mean and 1.96 deviations, not quantiles
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
        predictions = predict(grid.expand(x.shape[1], -1))
        mean, deviation = predictions.mean(dim=0), predictions.std(dim=0)
        band = torch.stack([mean - 1.96 * deviation, mean, mean + 1.96 * deviation])
    return {name: tensor.detach() for name, tensor in trained.items()}, band
