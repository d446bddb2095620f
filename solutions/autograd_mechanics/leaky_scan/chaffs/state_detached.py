"""Detaches the state between two steps, as in truncated backpropagation.

Fails: test_gradient (values), test_gradients (values), test_anomaly
Says: the state is detached from one step to the next
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence(list(signals), batch_first=True)
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state.detach() + now
        states.append(state)
    return torch.stack(states, dim=1) * mask
