"""A sparse matrix that names the place of each one, times x."""

import math

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.arange(len(starts)).repeat_interleave(lengths)
    within = torch.ones_like(owners).cumsum(0) - 1 - (lengths.cumsum(0) - lengths)[owners]
    places = torch.stack([owners, starts[owners] + within])
    matrix = torch.sparse_coo_tensor(places, torch.ones(len(owners), dtype=x.dtype), (len(starts), len(x)))
    return torch.sparse.mm(matrix, x.reshape(len(x), math.prod(x.shape[1:]))).view(len(starts), *x.shape[1:])
