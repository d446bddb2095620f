"""Each flag is given back by a callback."""

import contextlib
from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    with contextlib.ExitStack() as stack:
        for module in base.modules():
            for p in module.parameters(recurse=False):
                stack.callback(p.requires_grad_, p.requires_grad)
                p.requires_grad_(False)
        loss = loss_fn(head(base(x + leaf)))
        grads = torch.autograd.grad(loss, (leaf, *head.parameters()), materialize_grads=True)
    return float(loss.detach()), grads[0], list(grads[1:])
