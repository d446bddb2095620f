"""Spread over several cells: the helpers stand in cells below the solution cell."""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    flat = flattened(indices)
    picked = values[row_numbers(flat), flat]
    return picked.unflatten(1, indices.shape[1:]) if indices.dim() > 1 else picked.squeeze(1)


# %%
def flattened(x):
    """One dimension behind the batch, whatever there was."""
    return x.unsqueeze(-1) if x.dim() == 1 else x.flatten(1)


# %%
def row_numbers(flat):
    """Each row's number, once for every index in it."""
    return torch.ones_like(flat).cumsum(0) - 1


# %%
print(batch_gather(torch.eye(3), torch.tensor([[0, 1], [1, 2], [2, 0]])))
