"""A loop over the two directions, which is a loop over no boxes."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.float64 if a.dtype == torch.float64 else torch.float32
    a, b = a.to(dtype), b.to(dtype)
    shared = a.new_ones(a.shape[0], b.shape[0])
    for k in range(2):
        begin = torch.max(a[:, k, None], b[:, k])
        end = torch.min((a[:, k] + a[:, k + 2])[:, None], b[:, k] + b[:, k + 2])
        shared = shared * torch.where(end > begin, end - begin, 0.0)
    union = (a[:, 2] * a[:, 3])[:, None] + (b[:, 2] * b[:, 3])[None, :] - shared
    return shared / torch.max(union, torch.tensor(1e-5, dtype=dtype))
