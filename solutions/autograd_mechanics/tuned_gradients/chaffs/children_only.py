"""Goes through the parts of the base, and forgets the parameters that the base holds itself.

Fails: test_graph_of_all
Says: only the parts of the base are frozen, and not the parameters that the base holds itself
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    flags = {parameter: parameter.requires_grad for part in base.children() for parameter in part.parameters()}
    leaf = prompt.detach().clone().requires_grad_()
    try:
        for parameter in flags:
            parameter.requires_grad_(False)
        loss = loss_fn(head(base(x + leaf)))
    finally:
        for parameter, flag in flags.items():
            parameter.requires_grad_(flag)
    gradients = torch.autograd.grad(loss, [leaf, *head.parameters()], materialize_grads=True)
    return loss.item(), gradients[0], list(gradients[1:])
