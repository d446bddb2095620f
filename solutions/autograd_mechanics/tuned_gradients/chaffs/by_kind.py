"""The gradients of the head are sorted: weights first, then biases.

Fails: test_head (shape), test_unused (shape)
Says: the gradients of the head are not in the order of its parameters
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
    parameters = sorted(head.parameters(), key=lambda p: -p.dim())
    grads = torch.autograd.grad(loss, [leaf, *parameters], materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
