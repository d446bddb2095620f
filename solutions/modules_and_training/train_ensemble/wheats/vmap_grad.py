"""One net's loss as a function; vmap and grad make that of all members, and .grad is filled by hand."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, vmap
from torch.optim import Optimizer


def predict_one(own: dict[str, Tensor], inputs: Tensor) -> Tensor:
    return (torch.tanh(inputs[:, None] @ own["w1"] + own["b1"]) @ own["w2"] + own["b2"])[:, 0]


def loss_of_one(own: dict[str, Tensor], inputs: Tensor, targets: Tensor) -> Tensor:
    return (predict_one(own, inputs) - targets).square().sum()


def train_ensemble(
    params: dict[str, Tensor],
    x: Tensor,
    y: Tensor,
    make_optimizer: Callable[[list[Tensor]], Optimizer],
    grid: Tensor,
) -> tuple[dict[str, Tensor], Tensor]:
    trained = {name: given.detach().clone() for name, given in params.items()}
    optimizer = make_optimizer(list(trained.values()))
    gradients = vmap(grad(loss_of_one))
    for inputs, targets in zip(x, y, strict=True):
        for name, gradient in gradients(trained, inputs, targets).items():
            trained[name].grad = gradient
        optimizer.step()
    predictions = vmap(predict_one, in_dims=(0, None))(trained, grid)
    band = torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
    return {name: tensor.detach().clone() for name, tensor in trained.items()}, band
