"""Writes the rows into one tensor, and steps with a state of its own, which nobody overwrites."""

from collections.abc import Sequence

import torch
from torch import Tensor


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    k, longest = len(signals), max(len(x) for x in signals)
    x = signals[0].new_zeros(k, longest, len(decay))
    for i, signal in enumerate(signals):
        x[i, : len(signal)] = signal
    lengths = torch.tensor([len(signal) for signal in signals])
    y = torch.zeros_like(x)
    state = torch.zeros_like(decay)
    for t in range(longest):
        state = (decay * state + x[:, t]) * (t < lengths).unsqueeze(1)
        y[:, t] = state
    return y
