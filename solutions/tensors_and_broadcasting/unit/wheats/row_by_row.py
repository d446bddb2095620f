"""A loop over rows, of a matrix with dim in last place."""

import torch
from torch import Tensor


def _row(row: Tensor) -> Tensor:
    largest = row.abs().max()
    if largest == 0:
        return row * 0.0
    scaled = row / largest
    return scaled / torch.dot(scaled, scaled).sqrt()


def unit(x: Tensor, dim: int = -1) -> Tensor:
    moved = x.movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    return torch.stack([_row(row) for row in rows]).reshape(moved.shape).movedim(-1, dim)
