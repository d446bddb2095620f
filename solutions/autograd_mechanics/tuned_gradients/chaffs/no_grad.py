"""The base runs under no_grad, and the prompt gets zeros.

Fails: test_prompt (detached)
Says: the base runs under no_grad, so no gradient comes through it to the prompt
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    with torch.no_grad():
        features = base(x + leaf)
    loss = loss_fn(head(features))
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
