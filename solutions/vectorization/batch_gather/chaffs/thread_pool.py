"""A thread pool that works on one example each.

Fails: test_speed
Says: a thread pool works on one example at a time: that is still a loop
"""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if len(values) == 0:
        return values.new_zeros(indices.shape + values.shape[2:])
    with ThreadPoolExecutor(2) as pool:
        return torch.stack(list(pool.map(lambda b: values[b][indices[b]], range(len(values)))))
