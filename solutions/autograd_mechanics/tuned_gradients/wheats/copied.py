"""A frozen copy of the base."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    twin = copy.deepcopy(base)
    for p in twin.parameters():
        p.requires_grad = False
    loss = loss_fn(head(twin(x + leaf)))
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()], allow_unused=True, materialize_grads=True)
    return loss.item(), grads[0], list(grads[1:])
