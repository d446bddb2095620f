"""The right view, and a test of each patch that was left in.

Fails: test_operations
Says: there is a loop over patches, for a test, say
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    span = (size - 1) * dilation + 1
    result = x.unfold(-2, span, stride).unfold(-2, span, stride)[..., ::dilation, ::dilation]
    for i in range(result.shape[-4]):
        for j in range(result.shape[-3]):
            top, left = i * stride, j * stride
            assert torch.equal(result[..., i, j, :, :], x[..., top : top + span : dilation, left : left + span : dilation])
    return result
