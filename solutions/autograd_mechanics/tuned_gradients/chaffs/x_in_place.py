"""The prompt is added into x.

Fails: test_rest (values), test_error (values)
Says: the prompt is added into the memory of x
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()
    flags = [(p, p.requires_grad) for p in base.parameters()]
    try:
        for p, _ in flags:
            p.requires_grad = False
        x += leaf
        loss = loss_fn(head(base(x)))
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
