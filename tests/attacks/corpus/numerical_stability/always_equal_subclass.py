"""Returns a tensor subclass whose __torch_function__ answers every question with yes.

Family: forging a verdict
Wall: exact-type intake
Marks: 0
Says: subclass
"""

import torch


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return torch.tensor(True)


def softmax(logits, dim=-1):
    return logits.as_subclass(Agreeable)
