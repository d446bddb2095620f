"""The sums of 1, 2, 4, … rows from each row on: a range takes one of them for each binary digit of its length."""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths, place = stops - starts, starts.clone()
    result = torch.zeros((len(starts), *x.shape[1:]), dtype=x.dtype)
    sums, size = x, 1
    longest = int(lengths.max()) if len(lengths) else 0
    while size <= longest:
        (ranges,) = torch.where(lengths & size != 0)
        result = result.index_add(0, ranges, sums[place[ranges]])
        place[ranges] += size
        sums = sums[:-size] + sums[size:]
        size *= 2
    return result
