"""One advanced indexing: the number of each row, broadcast against its indices.

Why: Two index tensors side by side are paired up, element by element. So the row numbers have to meet the indices by
    broadcasting: they get the shape [B, 1, ..., 1], with a 1 for each further dimension of the indices, and row
    number b stands beside each index of example b. What stands behind the second dimension of the values comes along
    by itself. Indexing copies, looks at the bounds of each dimension by itself, keeps every dtype, and its backward
    pass adds up over repeated indices: nothing of that is left to do.
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
