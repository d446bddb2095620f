"""Columns by unbind, each side on its own, negative lengths taken away by relu."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype in (torch.float16, torch.bfloat16):
        a, b = a.float(), b.float()
    xa, ya, wa, ha = a.unsqueeze(1).unbind(-1)
    xb, yb, wb, hb = b.unsqueeze(0).unbind(-1)
    width = torch.relu(torch.min(xa + wa, xb + wb) - torch.max(xa, xb))
    height = torch.relu(torch.min(ya + ha, yb + hb) - torch.max(ya, yb))
    intersection = width * height
    union = wa * ha + wb * hb - intersection
    return intersection / union.clamp_min(1e-5)
