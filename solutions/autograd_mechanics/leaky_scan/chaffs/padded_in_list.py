"""Replaces the signals by padded ones, in the list of the caller.

Fails: test_inputs_untouched
Says: you write into the list that you were given
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    n = max(len(signal) for signal in signals)
    lengths = torch.tensor([len(signal) for signal in signals])
    for i, signal in enumerate(signals):
        signals[i] = torch.cat([signal, signal.new_zeros(n - len(signal), len(decay))])
    x = torch.stack(signals)
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        states.append(state)
    y = torch.stack(states, dim=1)
    return y.masked_fill((torch.arange(n) >= lengths[:, None])[..., None], 0.0)
