"""Adam's step calls a closure; what the file holds is one dict that is updated."""

from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, foreach=False)
    losses = []
    if checkpoint.exists():
        saved = torch.load(str(checkpoint), weights_only=True, map_location="cpu")
        losses += saved["losses"]
        for part, name in ((model, "model"), (optimizer, "optimizer")):
            part.load_state_dict(saved[name])
        torch.default_generator.set_state(saved["generator"])
    for _ in range(max(0, epochs - len(losses))):
        sums = []
        for index in torch.arange(len(x)).split(batch_size):

            def closure():
                optimizer.zero_grad()
                loss = (model(x[index])[..., 0] - y[index]).square().sum()
                sums.append(loss.item())
                loss = loss / len(index)
                loss.backward()
                return loss

            optimizer.step(closure)
        losses.append(sum(sums) / len(x))
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "generator": torch.default_generator.get_state(),
                "losses": losses,
            },
            str(checkpoint),
        )
    return losses
