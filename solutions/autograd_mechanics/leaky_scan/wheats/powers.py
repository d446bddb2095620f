"""One product with the matrix of all powers decay ** (t - s), where t >= s."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    t = torch.arange(x.shape[1])
    ago = t[:, None] - t
    powers = decay ** ago.clamp(min=0)[..., None] * (ago >= 0)[..., None]
    y = torch.einsum("tsd,ksd->ktd", powers, x)
    return torch.stack([torch.cat([row[: len(s)], torch.zeros_like(row[len(s) :])]) for row, s in zip(y, signals)])
