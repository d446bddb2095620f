"""Sorts the signals by length, and leaves them so.

Fails: test_ends (values), test_gradients
Says: the signals come back sorted by length
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    packed = torch.nn.utils.rnn.pack_sequence(sorted(signals, key=len, reverse=True))
    state, steps = torch.zeros(int(packed.batch_sizes[0]), len(decay), dtype=decay.dtype), []
    for now in packed.data.split(packed.batch_sizes.tolist()):
        state = decay * state[: len(now)] + now
        steps.append(state)
    return pad_sequence(steps)
