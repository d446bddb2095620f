"""Hillis and Steele: in step s each sum takes in the one 2 ** s before it, and decay is squared."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    y, factor, shift = x, decay, 1
    while shift < x.shape[1]:
        y = y + factor * torch.nn.functional.pad(y, (0, 0, shift, 0))[:, :-shift]
        factor = factor * factor
        shift *= 2
    lengths = torch.tensor([len(signal) for signal in signals])
    return y.masked_fill((torch.arange(x.shape[1]) >= lengths[:, None])[..., None], 0.0)
