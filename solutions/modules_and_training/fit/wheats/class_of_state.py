"""Two small functions, one that writes all of the run and one that reads it."""

from pathlib import Path

import torch
from torch import Tensor, nn


def write(path, model, optimizer, losses):
    with open(path, "wb") as file:
        torch.save(
            dict(model=model.state_dict(), optimizer=optimizer.state_dict(), losses=losses, rng=torch.get_rng_state()), file
        )


def read(path, model, optimizer):
    if not path.exists():
        return []
    with path.open("rb") as file:
        saved = torch.load(file, weights_only=True)
    model.load_state_dict(saved.pop("model"))
    optimizer.load_state_dict(saved.pop("optimizer"))
    torch.set_rng_state(saved.pop("rng"))
    return saved["losses"]


def one_epoch(model, optimizer, batches, n):
    def losses():
        for xs, ys in batches:
            optimizer.zero_grad(set_to_none=False)
            loss = nn.MSELoss()(model(xs), ys[:, None])
            loss.backward()
            optimizer.step()
            yield loss.item() * ys.numel() / n

    return sum(losses())


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = read(checkpoint, model, optimizer)
    batches = list(zip(torch.split(x, batch_size), torch.split(y, batch_size)))
    while True:
        if len(losses) >= epochs:
            return losses
        losses.append(one_epoch(model, optimizer, batches, len(x)))
        write(checkpoint, model, optimizer, losses)
