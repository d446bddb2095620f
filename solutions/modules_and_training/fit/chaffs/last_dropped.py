"""A last, short batch is left out.

Fails: test_losses_by_hand, test_losses, test_short_batch
Says: the rows that fill no batch are left out
"""

from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses: list[float] = []
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["generator"])
        losses = saved["losses"]
    while len(losses) < epochs:
        total = 0.0
        for i in range(len(x) // batch_size):
            inputs, targets = (each[i * batch_size : (i + 1) * batch_size] for each in (x, y))
            loss = nn.functional.mse_loss(model(inputs)[:, 0], targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
        losses.append(total / len(x))
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "losses": losses}
        torch.save({**state, "generator": torch.get_rng_state()}, checkpoint)
    return losses
