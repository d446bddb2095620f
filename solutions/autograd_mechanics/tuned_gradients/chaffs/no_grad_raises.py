"""The base runs under no_grad, and the prompt is asked for its gradient.

Fails: test_loss, test_prompt, test_head, test_unused, test_modes, test_flags, test_graph, test_graph_of_all, test_rest
Costs: 7, because autograd.grad raises an error for a prompt that is in no graph.
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
    grads = torch.autograd.grad(loss, [leaf, *head.parameters()])
    return loss.item(), grads[0], list(grads[1:])
