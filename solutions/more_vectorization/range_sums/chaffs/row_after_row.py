"""The first rows of all ranges at once, then the second ones: as many steps as the longest range has rows.

Fails: test_operations
Says: there is one step for each row of the longest range
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    result = x.new_zeros(len(starts), *x.shape[1:])
    for step in range(int(lengths.max()) if len(lengths) else 0):
        (long,) = torch.where(lengths > step)
        result = result.index_add(0, long, x[starts[long] + step])
    return result
