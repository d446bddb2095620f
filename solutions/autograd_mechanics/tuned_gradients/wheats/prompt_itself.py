"""The prompt's own flag is set for a while, too; everything in one try."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    everything = [*base.parameters(), *head.parameters(), prompt]
    flags = [p.requires_grad for p in everything]
    try:
        base.requires_grad_(False)
        prompt.requires_grad_(True)
        loss = loss_fn(head(base(prompt + x)))
        wanted = [prompt, *head.parameters()]
        gradients = torch.autograd.grad(loss, wanted, allow_unused=True)
        gradients = [torch.zeros_like(p) if g is None else g for p, g in zip(wanted, gradients)]
    finally:
        for p, flag in zip(everything, flags):
            p.requires_grad_(flag)
    return loss.detach().item(), gradients[0], gradients[1:]
