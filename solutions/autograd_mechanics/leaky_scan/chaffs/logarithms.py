"""Powers of decay by exp and log.

Fails: test_values (nan), test_small_decay (nan)
Says: you take the logarithm of decay, which may be negative or 0
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence(list(signals), batch_first=True)
    t = torch.arange(x.shape[1])
    ago = (t[:, None] - t).clamp(min=0)[..., None]
    powers = (ago * decay.log()).exp() * (t[:, None] >= t)[..., None]
    return torch.einsum("tsd,ksd->ktd", powers, x) * mask
