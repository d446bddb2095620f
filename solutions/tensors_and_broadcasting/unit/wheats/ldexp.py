"""ldexp with exponents as floats, twice; the mantissas are what is squared."""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    _, exponent = torch.frexp(x.detach().abs().amax(dim, keepdim=True))
    first = (-exponent // 2).to(x.dtype)
    second = -exponent - first
    y = torch.ldexp(torch.ldexp(x, first), second)
    norm = torch.linalg.vector_norm(y, dim=dim, keepdim=True)
    return y / torch.where(norm == 0, torch.ones_like(norm), norm)
