"""One training after the other.

Fails: test_operations, test_speed
Says: the members are trained one after the other
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
    members, predictions = [], []
    for m in range(x.shape[1]):
        own = {name: given[m].detach().clone().requires_grad_() for name, given in params.items()}
        w1, b1, w2, b2 = (own[name] for name in ("w1", "b1", "w2", "b2"))
        optimizer = make_optimizer(list(own.values()))
        for s in range(x.shape[0]):
            prediction = (torch.tanh(x[s, m].unsqueeze(1) @ w1 + b1) @ w2 + b2).squeeze(1)
            optimizer.zero_grad()
            (prediction - y[s, m]).square().sum().backward()
            optimizer.step()
        members.append(own)
        predictions.append((torch.tanh(grid.unsqueeze(1) @ w1 + b1) @ w2 + b2).squeeze(1).detach())
    trained = {name: torch.stack([own[name].detach() for own in members]) for name in params}
    return trained, torch.quantile(torch.stack(predictions), torch.tensor([0.025, 0.5, 0.975]), dim=0)
