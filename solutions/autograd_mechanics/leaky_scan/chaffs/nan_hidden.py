"""Divides 0 by 0 on the way, and makes a 0 of each nan, in the backward pass by a hook.

Fails: test_anomaly
Says: a nan of the backward pass is replaced by 0 afterwards
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    x = pad_sequence(list(signals), batch_first=True)
    t = torch.arange(x.shape[1])
    ago = (t[:, None] - t)[..., None].to(decay.dtype)
    ago = torch.where(ago >= 0, ago, torch.inf)  # 0.5 ** inf is 0
    base = decay.expand(len(t), len(t), -1) * 1.0
    if base.requires_grad:
        base.register_hook(lambda gradient: gradient.nan_to_num(0.0))
    powers = torch.where(ago < torch.inf, base**ago, 0.0)
    return torch.einsum("tsd,ksd->ktd", powers, x) * mask
