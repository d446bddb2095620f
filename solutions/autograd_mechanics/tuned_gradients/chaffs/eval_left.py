"""base.eval(), as for inference, and train() at the end.

Fails: test_modes, test_rest (inputs), test_error (inputs)
Says: the base is put into evaluation mode, and then all of it into training mode
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
        base.eval()
        loss = loss_fn(head(base(x + leaf)))
    finally:
        base.train()
        for p, flag in flags:
            p.requires_grad = flag
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
