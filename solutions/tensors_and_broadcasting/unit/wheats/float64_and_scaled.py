"""float64 throughout, with a maximum taken out for inputs that are float64 themselves."""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.double()
    largest = wide.abs().max(dim=dim, keepdim=True).values
    wide = wide / torch.where(largest == 0, 1.0, largest)
    return (wide / wide.norm(dim=dim, keepdim=True).clamp(min=1)).to(x.dtype)
