"""All ranges padded to the length of the longest.

Fails: test_memory
Says: one long range makes all others as long
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    steps = torch.arange(int(lengths.max()) if len(lengths) else 0)
    places = (starts[:, None] + steps).clamp(max=len(x) - 1)
    counts = steps < lengths[:, None]
    return torch.where(counts.view(*counts.shape, *[1] * (x.dim() - 1)), x[places], 0.0).sum(1)
