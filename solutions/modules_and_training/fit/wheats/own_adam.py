"""Adam by hand: its means are in the file, with names of their own."""

from pathlib import Path

import torch
from torch import Tensor, nn


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    params = [p for p in model.parameters() if p.requires_grad]
    m = [torch.zeros_like(p) for p in params]
    v = [torch.zeros_like(p) for p in params]
    step, losses = 0, []
    if checkpoint.exists():
        file = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(file["model"])
        m, v, step, losses = file["m"], file["v"], file["step"], list(file["losses"])
        torch.set_rng_state(file["rng"])
    for _ in range(len(losses), epochs):
        total = 0.0
        for first in range(0, len(x), batch_size):
            rows, targets = x[first : first + batch_size], y[first : first + batch_size]
            loss = ((model(rows).reshape(-1) - targets) ** 2).mean()
            gradients = torch.autograd.grad(loss, params)
            step += 1
            with torch.no_grad():
                for p, g, a, b in zip(params, gradients, m, v):
                    a.mul_(0.9).add_(g, alpha=0.1)
                    b.mul_(0.999).addcmul_(g, g, value=0.001)
                    p -= lr * (a / (1 - 0.9**step)) / ((b / (1 - 0.999**step)).sqrt() + 1e-8)
            total += float(loss) * len(rows)
        losses.append(total / len(x))
        torch.save(
            {"model": model.state_dict(), "m": m, "v": v, "step": step, "losses": losses, "rng": torch.get_rng_state()},
            checkpoint,
        )
    return losses
