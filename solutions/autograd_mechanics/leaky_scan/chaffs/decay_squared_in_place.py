"""Doubling steps, with a factor that is squared in place, and the factor is decay itself.

Fails: test_gradient, test_gradients, test_anomaly, test_inputs_untouched, test_speed
Costs: 4.5, because a leaf that is written into is an error at once: no gradient, and nothing to be timed.
Says: decay itself is written into
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    y, factor, shift = x, decay, 1
    while shift < x.shape[1]:
        y = y + factor * torch.nn.functional.pad(y, (0, 0, shift, 0))[:, :-shift]
        factor *= factor
        shift *= 2
    return y * mask
