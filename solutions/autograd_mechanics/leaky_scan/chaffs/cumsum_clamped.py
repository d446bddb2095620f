"""The running sum, with powers that are kept from becoming 0.

Fails: test_values (values), test_small_decay (values)
Says: you divide by a power of decay that is clamped, and so another one
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    powers = (decay ** torch.arange(x.shape[1])[:, None]).clamp(min=1e-30)
    return (x / powers).cumsum(1) * powers * mask
