"""loss.backward(): all parameters have a .grad afterwards.

Fails: test_graph, test_graph_of_all, test_rest
Says: backward leaves a .grad in all parameters
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    loss = loss_fn(head(base(x + leaf)))
    loss.backward()
    return loss.item(), leaf.grad, [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in head.parameters()]
