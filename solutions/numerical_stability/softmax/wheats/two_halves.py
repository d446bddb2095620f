"""Each half of the entries has its own maximum and sum, and the two are put together, as kernels do that see a row in pieces."""

import torch


def softmax(logits, dim=-1):
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    middle = (x.shape[dim] + 1) // 2
    pieces = [piece for piece in x.split(middle, dim)]
    maxima = [piece.amax(dim, keepdim=True) for piece in pieces]
    largest = torch.stack(maxima).amax(0).detach()
    sums = [(piece - largest).exp().sum(dim, keepdim=True) for piece in pieces]
    return torch.cat([(piece - largest).exp() for piece in pieces], dim) / sum(sums)
