"""autograd.grad is asked for the wanted gradients only; the base's parameters are leaves all the same.

Fails: test_graph, test_graph_of_all
Says: gradients are asked for the prompt and the head only, and the graph still saves what the base's weights would need
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()
    loss = loss_fn(head(base(x + leaf)))
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
