"""b1 is added as [M, H] to [M, B, H]: an error, unless M and B are equal.

Fails: test_one_step (raised), test_band_by_hand (raised), test_sgd (raised), test_adam (raised), test_detached (raised),
    test_band (raised), test_untouched (raised), test_operations (raised), test_speed (raised)
Costs: 12, because every call raises.
Says: b1 lacks a dimension, and meets the numbers of a batch instead of the members
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
        hidden = torch.tanh(inputs.unsqueeze(2) @ trained["w1"] + trained["b1"])
        return (hidden @ trained["w2"] + trained["b2"].unsqueeze(1)).squeeze(2)

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
