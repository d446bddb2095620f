"""backward, and all .grad kept beside and put back."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()

    weights = list(head.parameters())
    flags = {p: p.requires_grad for p in base.parameters()}
    kept = [p.grad for p in weights]
    try:
        for p in weights:
            p.grad = None
        base.requires_grad_(False)
        loss = loss_fn(head(base(x + leaf)))
        loss.backward()
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in weights]
    finally:
        for p, grad in zip(weights, kept):
            p.grad = grad
        for p, flag in flags.items():
            p.requires_grad_(flag)
    return float(loss), leaf.grad, gradients
