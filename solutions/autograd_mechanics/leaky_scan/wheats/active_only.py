"""Packs the signals by length, steps only those that go on, and puts them back in their order."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    packed = torch.nn.utils.rnn.pack_sequence(list(signals), enforce_sorted=False)
    state, steps = torch.zeros(int(packed.batch_sizes[0]), len(decay), dtype=decay.dtype), []
    for now in packed.data.split(packed.batch_sizes.tolist()):
        state = decay * state[: len(now)] + now
        steps.append(state)
    y = pad_sequence([*steps])
    return y.index_select(0, packed.unsorted_indices)
