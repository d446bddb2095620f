"""itertools.accumulate steps over time, with addcmul."""

from itertools import accumulate
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals))
    steps = accumulate(x.unbind(0), lambda y, now: torch.addcmul(now, decay, y))
    y = torch.stack(list(steps), dim=1)
    lengths = torch.tensor([len(s) for s in signals])
    late = torch.arange(len(x))[None, :] >= lengths[:, None]
    return y.masked_fill(late[:, :, None], 0)
