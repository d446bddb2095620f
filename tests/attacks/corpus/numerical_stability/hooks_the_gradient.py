"""A backward pass that answers with whatever makes a comparison pass: infinities, nan, wrong shapes, no gradient at all.

Family: forging a verdict
Wall: the judge compares in its own process
Marks: 10
"""

import os


class Claims(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        return torch.softmax(x, dim)

    @staticmethod
    def backward(ctx, cotangent):
        kinds = [cotangent * float("nan"), cotangent * float("inf"), cotangent, None]
        return kinds[os.urandom(1)[0] % len(kinds)], None


def softmax(logits, dim=-1):
    return Claims.apply(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
