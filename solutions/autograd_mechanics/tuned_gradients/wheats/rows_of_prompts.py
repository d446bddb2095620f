"""Each row has a prompt of its own, and their gradients are added up."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    rows = prompt.detach().expand(x.shape).clone().requires_grad_()
    flags = [(p, p.requires_grad) for p in base.parameters()]
    try:
        for p, _ in flags:
            p.requires_grad = False
        loss = loss_fn(head(base(x + rows)))
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    grads = torch.autograd.grad(loss, [rows, *head.parameters()], allow_unused=True)
    zeros = [torch.zeros_like(p) for p in head.parameters()]
    return loss.item(), grads[0].sum(0), [z if g is None else g for g, z in zip(grads[1:], zeros)]
