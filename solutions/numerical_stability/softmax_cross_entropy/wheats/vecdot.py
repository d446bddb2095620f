"""log_softmax, and a dot product of vectors along dim, where autocast has no say."""

import torch
import torch.nn.functional as F


def softmax_cross_entropy(logits, target, dim=-1):
    kind = torch.float64 if logits.dtype == torch.float64 else torch.float32
    with torch.autocast(logits.device.type, enabled=False):
        return torch.linalg.vecdot(target.to(kind), F.log_softmax(logits.to(kind), dim).neg(), dim=dim)
