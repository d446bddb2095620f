"""Only the weights are frozen; biases need little, but they are leaves.

Fails: test_graph, test_graph_of_all
Says: only weights are frozen, and not every parameter of the base
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()
    flags = [(p, p.requires_grad) for name, p in base.named_parameters() if name.endswith("weight")]
    try:
        for p, _ in flags:
            p.requires_grad = False
        loss = loss_fn(head(base(x + leaf)))
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
