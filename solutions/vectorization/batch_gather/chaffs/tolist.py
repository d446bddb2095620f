"""Python lists: read out, chosen from, and made into a tensor again.

Fails: test_gradient, test_speed
Says: the numbers become Python lists, which are slow and which autograd does not see
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    def pick(entries, index):
        return [pick(entries, i) for i in index] if isinstance(index, list) else entries[index]

    pairs = zip(values.tolist(), indices.tolist())
    picked = [pick(entries, index) for entries, index in pairs]
    result = torch.tensor(picked, dtype=values.dtype, device=values.device)
    return result.reshape(indices.shape + values.shape[2:])
