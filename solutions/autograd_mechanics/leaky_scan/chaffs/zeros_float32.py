"""Writes into torch.zeros, which are float32.

Fails: test_dtype (dtype)
Says: the result is made by torch.zeros without a dtype
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    y = torch.zeros(mask.shape)
    x = pad_sequence(list(signals), batch_first=True)
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        y[:, len(states)] = state
        states.append(state)
    return y * (mask > 0)
