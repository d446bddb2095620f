"""Divides by the powers of decay, takes the running sum, multiplies by them.

Fails: test_small_decay (nan)
Says: you divide by a power of decay, which becomes 0
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    powers = decay ** torch.arange(x.shape[1])[:, None]
    return (x / powers).cumsum(1) * powers * mask
