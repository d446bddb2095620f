"""One epoch, and the rest by a call of itself, which reads the file again."""

from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        losses = state["losses"]
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["generator"])
    if len(losses) >= epochs:
        return losses
    mean = 0.0
    for i in range(-(-len(x) // batch_size)):
        batch = slice(i * batch_size, (i + 1) * batch_size)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[batch]), y[batch].view(-1, 1))
        loss.backward()
        optimizer.step()
        mean += loss.item() * len(y[batch]) / len(y)
    state = {
        "losses": [*losses, mean],
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "generator": torch.get_rng_state(),
    }
    torch.save(state, checkpoint)
    return fit(model, x, y, epochs=epochs, batch_size=batch_size, lr=lr, checkpoint=checkpoint)
