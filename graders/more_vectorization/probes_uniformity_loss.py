"""What runs beside the student's code. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor


def there_and_back(notebook: Any, batches: Tensor) -> Tensor:
    """For each batch of rows the loss, and after it the numbers of its gradient: [batches, 1 + N * D]."""
    answers = []
    for x in batches:
        leaf = x.clone().requires_grad_()
        loss = notebook.uniformity_loss(leaf)
        loss.backward()
        answers.append(torch.cat([loss.detach().reshape(1), leaf.grad.flatten()]))
    return torch.stack(answers)
