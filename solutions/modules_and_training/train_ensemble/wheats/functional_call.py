"""An nn.Module of one member, called by functional_call inside vmap; the losses are added up."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.optim import Optimizer


class Net(nn.Module):
    def __init__(self, hidden: int):
        super().__init__()
        self.w1 = nn.Parameter(torch.zeros(1, hidden))
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Parameter(torch.zeros(hidden, 1))
        self.b2 = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return ((x.unsqueeze(-1) @ self.w1 + self.b1).tanh() @ self.w2 + self.b2).squeeze(-1)


def train_ensemble(
    params: dict[str, Tensor],
    x: Tensor,
    y: Tensor,
    make_optimizer: Callable[[list[Tensor]], Optimizer],
    grid: Tensor,
) -> tuple[dict[str, Tensor], Tensor]:
    net = Net(params["b1"].shape[1])
    trained = {name: given.detach().clone().requires_grad_() for name, given in params.items()}
    call = vmap(lambda own, inputs: functional_call(net, own, (inputs,)))
    optimizer = make_optimizer(list(trained.values()))
    for inputs, targets in zip(x, y):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(call(trained, inputs), targets, reduction="sum")
        loss.backward()
        optimizer.step()
    trained = {name: tensor.detach() for name, tensor in trained.items()}
    predictions = call(trained, grid.expand(x.shape[1], -1))
    return trained, torch.quantile(predictions, torch.tensor([0.025, 0.5, 0.975]), dim=0)
