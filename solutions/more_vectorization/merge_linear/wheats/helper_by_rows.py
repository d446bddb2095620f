"""Flattens each input to a matrix for addmm, and unflattens what comes out."""

import math

import torch
from torch import Tensor


def _rows(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    product = rows @ weight.T if bias is None else torch.addmm(bias, rows, weight.T)
    return product.reshape(*x.shape[:-1], weight.shape[0])


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    left = _rows(a, weight[:, :n], bias)
    return left + _rows(b, weight[:, n:], None)
