"""Python's own chains and words, for one element after the other."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    if closed is None:
        closed = torch.tensor(False)
    tensors = torch.broadcast_tensors(t, start, stop, closed)
    answers = []
    for now, first, last, shut in zip(*(each.flatten().tolist() for each in tensors)):
        if shut:
            answers.append(False)
        elif first > last:
            answers.append(now >= first or now < last)
        else:
            answers.append(first <= now < last)
    return torch.tensor(answers, dtype=torch.bool).reshape(tensors[0].shape)
