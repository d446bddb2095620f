"""Pads at the front.

Fails: test_ends (values), test_gradients (values)
Says: the zeros stand before a short signal, not after it
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    n = max(len(signal) for signal in signals)
    x = torch.stack([torch.nn.functional.pad(signal, (0, 0, n - len(signal), 0)) for signal in signals])
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        states.append(state)
    return torch.stack(states, dim=1)
