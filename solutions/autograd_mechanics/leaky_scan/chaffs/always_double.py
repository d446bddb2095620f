"""Computes in float64, and stays there.

Fails: test_dtype (dtype)
Says: the result is float64 where the signals are float32
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    decay = decay.double()
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence(list(signals), batch_first=True)
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        states.append(state)
    return torch.stack(states, dim=1) * mask
