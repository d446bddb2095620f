"""Parameters that are not used have None.

Fails: test_unused (type)
Says: the gradient of a parameter that is not used is None, where zeros belong
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
        loss = loss_fn(head(base(x + leaf)))
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True)
    return loss.item(), grads[0], list(grads[1:])
