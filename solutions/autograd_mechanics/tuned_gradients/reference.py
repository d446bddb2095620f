"""The base's flags are false while the graph is built, and are put back whatever happens.

Why: a frozen parameter is not a leaf, so nothing is saved for its gradient. The base still stands in the graph, because the prompt before it
    needs a gradient. autograd.grad returns the gradients and touches no .grad; materialize_grads makes zeros for what is not used. The
    prompt is a new leaf here, so its own flag does not matter.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def tuned_gradients(
    base: nn.Module, head: nn.Module, prompt: Tensor, x: Tensor, loss_fn: Callable[[Tensor], Tensor]
) -> tuple[float, Tensor, list[Tensor]]:
    prompt = prompt.detach().requires_grad_()
    flags = [(parameter, parameter.requires_grad) for parameter in base.parameters()]
    try:
        base.requires_grad_(False)
        loss = loss_fn(head(base(x + prompt)))
    finally:
        for parameter, flag in flags:
            parameter.requires_grad_(flag)
    first, *others = torch.autograd.grad(loss, [prompt, *head.parameters()], materialize_grads=True)
    return loss.item(), first, others
