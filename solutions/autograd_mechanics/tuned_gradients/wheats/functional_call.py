"""The base is called with detached parameters: no flag is touched.

Why: a detached parameter is a constant with the same memory, so nothing has to be put back, and an error does no harm.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    constants = {name: p.detach() for name, p in base.named_parameters()}
    output = torch.func.functional_call(base, constants, (x + leaf,))
    loss = loss_fn(head(output))
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
