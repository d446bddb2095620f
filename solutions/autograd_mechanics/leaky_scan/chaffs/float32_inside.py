"""Computes in float32, and goes back at the end.

Fails: test_dtype (values)
Says: float64 is computed in float32
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    dtype = decay.dtype
    decay = decay.float()
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence([signal.float() for signal in signals], batch_first=True)
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        states.append(state)
    return torch.stack(states, dim=1).to(dtype) * mask
