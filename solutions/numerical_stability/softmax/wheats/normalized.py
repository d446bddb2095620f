"""exp of the shifted logits, normalised to a sum of 1 by the function that normalises vectors."""

import torch
import torch.nn.functional as F


def softmax(logits, dim=-1):
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.normalize(torch.exp(wide - wide.amax(dim, keepdim=True)), p=1, dim=dim)
