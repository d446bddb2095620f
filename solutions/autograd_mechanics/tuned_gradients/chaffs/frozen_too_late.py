"""The base is frozen for the backward pass only.

Fails: test_graph, test_graph_of_all
Says: the base is frozen when the graph is there already
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    loss = loss_fn(head(base(x + leaf)))
    flags = [(p, p.requires_grad) for p in base.parameters()]
    try:
        base.requires_grad_(False)
        grads = torch.autograd.grad(loss, [leaf, *head.parameters()], materialize_grads=True)
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    return loss.item(), grads[0], list(grads[1:])
