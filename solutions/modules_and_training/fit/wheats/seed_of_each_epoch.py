"""Each epoch has a seed of its own, made from one that is drawn at the start and kept in the file."""

from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    run = {"seed": int(torch.randint(2**31, ())), "losses": []}
    if checkpoint.exists():
        run = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(run["model"])
        optimizer.load_state_dict(run["optimizer"])
    for epoch in range(len(run["losses"]), epochs):
        torch.manual_seed(run["seed"] + epoch)
        weighted = []
        for xs, ys in zip(x.split(batch_size), y.split(batch_size)):
            optimizer.zero_grad()
            loss = (model(xs).flatten() - ys).square().mean()
            loss.backward()
            optimizer.step()
            weighted.append(loss.detach() * len(ys))
        run["losses"].append((torch.stack(weighted).sum() / len(y)).item())
        run["model"], run["optimizer"] = model.state_dict(), optimizer.state_dict()
        torch.save(run, checkpoint)
    return run["losses"]
