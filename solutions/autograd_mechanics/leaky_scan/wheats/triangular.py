"""Solves (1 - decay * shift) y = x, a triangular system for each column of the signals."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals)).permute(2, 0, 1)
    n = x.shape[1]
    shift = torch.ones(n, dtype=x.dtype)[1:].diag(-1) if n > 1 else torch.zeros(1, 1, dtype=x.dtype)
    system = torch.eye(n, dtype=x.dtype) - decay[:, None, None] * shift
    y = torch.linalg.solve_triangular(system, x, upper=False).permute(2, 1, 0)
    return y * pad_sequence([torch.ones_like(s) for s in signals], batch_first=True)
