"""In chunks of 2048 rows, to bound the memory in use."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    moved = logits.movedim(dim, -1)
    flat = moved.reshape(-1, moved.shape[-1])
    done = []
    for chunk in flat.split(2048):
        chunk = chunk.to(torch.promote_types(chunk.dtype, torch.float32))
        chunk = torch.exp(chunk - chunk.max(dim=-1, keepdim=True)[0])
        done.append(chunk / chunk.sum(dim=-1, keepdim=True))
    return torch.cat(done).reshape(moved.shape).movedim(-1, dim)
