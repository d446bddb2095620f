"""What runs beside the student's class, because it needs the seed of the process that draws the numbers."""

from typing import Any

import torch
from torch import Tensor


def drawn(notebook: Any, seeds: list[int], n: int, m: int) -> list[Tensor]:
    """For each seed, what a new layer makes of zeros and of all unit vectors: its bias, and its weight."""
    results = []
    for seed in seeds:
        torch.manual_seed(seed)
        with torch.no_grad():
            results.append(notebook.Linear(n, m)(torch.cat([torch.zeros(1, n), torch.eye(n)])).clone())
    return results
