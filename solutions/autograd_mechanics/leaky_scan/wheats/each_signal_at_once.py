"""A loop over the signals, each with one matrix of powers: no loop over time."""

from collections.abc import Sequence

import torch
from torch import Tensor


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    longest = max(map(len, signals))
    t = torch.arange(longest)
    ago = (t[:, None] - t).clamp(min=0)
    powers = (decay[:, None, None] ** ago).tril()
    rows = []
    for x in signals:
        y = (powers[:, : len(x), : len(x)] @ x.T.unsqueeze(2)).squeeze(2).T
        rows.append(torch.nn.functional.pad(y, (0, 0, 0, longest - len(x))))
    return torch.stack(rows)
