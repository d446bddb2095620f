"""Indices by range, losses as a tensor, and a file that is written beside the old one and then takes its place."""

import os
from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = torch.zeros(0, dtype=torch.float64)
    try:
        weights, adam, generator, losses = torch.load(checkpoint, weights_only=True)
    except FileNotFoundError:
        pass
    else:
        model.load_state_dict(weights)
        optimizer.load_state_dict(adam)
        torch.set_rng_state(generator)
    n = x.shape[0]
    for _ in range(epochs - len(losses)):
        squares = torch.zeros((), dtype=torch.float64)
        for start in range(0, n, batch_size):
            stop = min(start + batch_size, n)
            error = model(x[start:stop]).squeeze(-1) - y[start:stop]
            loss = error.pow(2).mean()
            model.zero_grad()
            loss.backward()
            optimizer.step()
            squares += error.detach().pow(2).sum()
        losses = torch.cat([losses, (squares / n)[None]])
        beside = str(checkpoint) + ".new"
        torch.save([model.state_dict(), optimizer.state_dict(), torch.get_rng_state(), losses], beside)
        os.replace(beside, checkpoint)
    return losses.tolist()
