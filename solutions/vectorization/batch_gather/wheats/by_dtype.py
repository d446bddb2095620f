"""take_along_dim on an index with all dimensions for numbers, indexing for the rest; a Python check of the largest index."""

import torch
from torch import Tensor

torch_error = "index {} is out of range for {} entries"


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    largest = max(indices.amax().item(), 0) if indices.numel() > 0 else 0
    if largest >= values.size(1):
        raise RuntimeError(torch_error.format(largest, values.size(1)))
    if values.is_floating_point() and values.dim() == indices.dim() == 2:
        return torch.take_along_dim(values, indices, 1)
    rows = torch.arange(indices.size(0), device=indices.device)
    return values[rows[(...,) + (None,) * (indices.dim() - 1)], indices]
