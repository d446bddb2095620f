"""A moving average: x counts 1 - decay.

Fails: test_by_hand, test_values, test_ends, test_gradients, test_anomaly, test_small_decay, test_dtype,
    test_inputs_untouched, test_operations, test_speed
Costs: all, because another recurrence is computed: no number is right.
Says: x is multiplied by 1 - decay, as in a moving average
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
        state = decay * state + (1 - decay) * now
        states.append(state)
    return torch.stack(states, dim=1) * mask
