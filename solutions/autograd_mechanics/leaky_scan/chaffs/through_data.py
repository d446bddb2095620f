"""Steps inside one tensor, through .data, so that backward is quiet.

Fails: test_gradient, test_gradients, test_anomaly
Says: the steps are written through .data, where autograd does not see them
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    y = x.clone()
    for t in range(1, x.shape[1]):
        y.data[:, t] += decay * y[:, t - 1]
    return y * mask
