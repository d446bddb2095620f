"""Frozen, and cleared after the backward pass: what was in .grad before is gone.

Fails: test_rest (inputs), test_error (inputs)
Says: the head's .grad is cleared, and what was in it before is lost
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    leaf = prompt.detach().clone().requires_grad_()
    flags = [(p, p.requires_grad) for p in base.parameters()]
    try:
        for p, _ in flags:
            p.requires_grad = False
        head.zero_grad()
        loss = loss_fn(head(base(x + leaf)))
        loss.backward()
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in head.parameters()]
        head.zero_grad()
    finally:
        for p, flag in flags:
            p.requires_grad = flag
    return loss.item(), leaf.grad, gradients
