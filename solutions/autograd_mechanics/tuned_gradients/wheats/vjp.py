"""torch.func.vjp of prompt and head's parameters, with the base's as constants."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    constants = {name: p.detach() for name, p in base.named_parameters()}
    weights = {name: p.detach() for name, p in head.named_parameters()}

    def loss_of(prompt, weights):
        features = torch.func.functional_call(base, constants, (x + prompt,))
        return loss_fn(torch.func.functional_call(head, weights, (features,)))

    loss, back = torch.func.vjp(loss_of, prompt.detach(), weights)
    first, gradients = back(torch.ones_like(loss))
    return loss.item(), first, [gradients[name] for name, _ in head.named_parameters()]
