"""An autograd Function: it writes in place as it likes, since nobody records that, and scans backward by hand."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, decay: Tensor) -> Tensor:
        y = x.clone()
        for t in range(1, x.shape[1]):
            y[:, t] += decay * y[:, t - 1]
        ctx.save_for_backward(y, decay)
        return y

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor]:
        y, decay = ctx.saved_tensors
        total = gradient.clone()
        for t in range(y.shape[1] - 2, -1, -1):
            total[:, t] += decay * total[:, t + 1]
        return total, (total[:, 1:] * y[:, :-1]).sum((0, 1))


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    mask = pad_sequence([torch.ones_like(signal) for signal in signals], batch_first=True)
    return _Scan.apply(x, decay) * mask
