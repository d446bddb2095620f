"""First back through loss and head, then with what arrives through the base."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    constants = {name: p.detach() for name, p in base.named_parameters()}
    features = torch.func.functional_call(base, constants, (x + leaf,))
    cut = features.detach().requires_grad_()
    loss = loss_fn(head(cut))
    arrives, *gradients = torch.autograd.grad(loss, [cut, *head.parameters()], materialize_grads=True)
    (first,) = torch.autograd.grad(features, leaf, arrives)
    return loss.item(), first, gradients
