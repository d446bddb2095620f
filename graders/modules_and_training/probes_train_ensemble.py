"""Optimizers that cross into the jail by name, and what is looked at beside the student's code. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer


def sgd(params: list[Tensor]) -> Optimizer:
    """Plain steps with momentum, which see the size of a gradient and remember earlier ones."""
    return torch.optim.SGD(params, lr=0.002, momentum=0.9)


def adam(params: list[Tensor]) -> Optimizer:
    """Steps that do not see a constant factor of the gradient, however small that is: so eps is."""
    return torch.optim.Adam(params, lr=0.02, eps=1e-12)


def small_adam(params: list[Tensor]) -> Optimizer:
    """Adam for many steps of a wider net: no member walks past its data."""
    return torch.optim.Adam(params, lr=0.005)


def attached(notebook: Any, params: dict[str, Tensor], x: Tensor, y: Tensor, grid: Tensor) -> tuple[dict[str, Tensor], list[str]]:
    """The trained parameters, and the names of the results that still need a gradient."""
    trained, band = notebook.train_ensemble(params, x, y, adam, grid)
    return dict(trained), [name for name, result in {**trained, "the band": band}.items() if result.requires_grad]


def marked(notebook: Any, params: dict[str, Tensor], x: Tensor, y: Tensor, grid: Tensor) -> tuple[dict[str, Tensor], list[str]]:
    """The trained parameters, and the names of the given tensors that need a gradient, or have one, after the call."""
    trained, _ = notebook.train_ensemble(params, x, y, adam, grid)
    given = {**params, "x": x, "y": y, "grid": grid}
    return dict(trained), [name for name, tensor in given.items() if tensor.requires_grad or tensor.grad is not None]


def one_by_one(
    _: Any, params: dict[str, Tensor], x: Tensor, y: Tensor, make_optimizer: Any, grid: Tensor
) -> tuple[dict[str, Tensor], Tensor]:
    """One training after the other: the slow side of the race."""
    members, predictions = [], []
    for m in range(x.shape[1]):
        own = {name: given[m].detach().clone().requires_grad_() for name, given in params.items()}
        optimizer = make_optimizer(list(own.values()))
        for inputs, targets in zip(x[:, m], y[:, m], strict=True):
            loss = (_predict(own, inputs) - targets).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            members.append(own)
            predictions.append(_predict(own, grid))
    levels = torch.tensor([0.025, 0.5, 0.975])
    trained = {name: torch.stack([own[name].detach() for own in members]) for name in params}
    return trained, torch.quantile(torch.stack(predictions), levels, dim=0)


def _predict(own: dict[str, Tensor], inputs: Tensor) -> Tensor:
    """What one net says of each input."""
    return (torch.tanh(inputs.unsqueeze(1) @ own["w1"] + own["b1"]) @ own["w2"] + own["b2"]).squeeze(1)
