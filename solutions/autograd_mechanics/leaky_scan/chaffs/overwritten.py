"""Steps inside one tensor: what mul saved is overwritten, says backward.

Fails: test_gradient, test_gradients, test_anomaly
Says: a step writes into the tensor of which an earlier step saved a part
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    y = torch.zeros_like(x)
    y[:, 0] = x[:, 0]
    for t in range(1, x.shape[1]):
        y[:, t] = decay * y[:, t - 1] + x[:, t]
    return y * mask
