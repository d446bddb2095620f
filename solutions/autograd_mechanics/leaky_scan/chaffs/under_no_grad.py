"""Fills the result under no_grad.

Fails: test_gradient (detached), test_gradients (detached), test_anomaly
Says: the result is filled under no_grad, so nothing was recorded
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    y = torch.zeros_like(x)
    with torch.no_grad():
        for t in range(x.shape[1]):
            y[:, t] = decay * y[:, max(t - 1, 0)] + x[:, t]
    return y * mask
