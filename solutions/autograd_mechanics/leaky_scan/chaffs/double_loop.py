"""Loops over signals and times.

Fails: test_operations, test_speed
Says: you loop over the signals and, for each of them, over the time
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    rows = []
    for x in signals:
        y = torch.zeros_like(decay)
        steps = []
        for now in x:
            y = decay * y + now
            steps.append(y)
        rows.append(torch.stack(steps))
    return pad_sequence(rows, batch_first=True)
