"""A DataLoader without shuffling. It draws a number at the start of each epoch, in each run alike."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


def fit(model: nn.Module, x: Tensor, y: Tensor, *, epochs: int, batch_size: int, lr: float, checkpoint: Path) -> list[float]:
    loader = DataLoader(TensorDataset(x, y), batch_size=batch_size, shuffle=False)
    criterion = nn.MSELoss(reduction="sum")
    opt = torch.optim.Adam(model.parameters(), lr)
    history, done = [], 0
    if checkpoint.is_file():
        state = torch.load(checkpoint)
        model.load_state_dict(state["weights"])
        opt.load_state_dict(state["opt"])
        history, done = state["history"], state["epoch"]
        torch.random.set_rng_state(state["rng"])
    for epoch in range(done, epochs):
        running = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            summed = criterion(model(xb), yb.unsqueeze(1))
            (summed / len(yb)).backward()
            opt.step()
            running += summed.detach().item()
        history.append(running / len(loader.dataset))
        torch.save(
            {
                "epoch": epoch + 1,
                "weights": model.state_dict(),
                "opt": opt.state_dict(),
                "history": history,
                "rng": torch.random.get_rng_state(),
            },
            checkpoint,
        )
    return history
