"""All powers of decay, the negative ones too, of which where leaves those out.

Fails: test_small_decay (nan)
Says: powers that you throw away are infinite, and take part in the backward pass
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence(list(signals), batch_first=True)
    t = torch.arange(x.shape[1])
    ago = (t[:, None] - t)[..., None]
    powers = torch.where(ago >= 0, decay ** ago.to(decay.dtype), 0.0)
    return torch.einsum("tsd,ksd->ktd", powers, x) * mask
