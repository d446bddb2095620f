"""The sizes are read from the weight, and zeros stand in for a bias that is not there."""

import torch
from torch import Tensor, nn


class Linear(nn.Module):
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        bound = (1 / in_features) ** 0.5
        weight = torch.empty(out_features, in_features, device=device, dtype=dtype)
        self.weight = nn.Parameter(weight)
        nn.init.uniform_(self.weight, -bound, bound)
        self.bias = None
        if bias is True:
            self.bias = nn.Parameter(weight.new_empty(out_features))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        bias = torch.zeros((), dtype=x.dtype, device=x.device) if self.bias is None else self.bias
        return torch.tensordot(x, self.weight, dims=([-1], [1])) + bias

    def extra_repr(self) -> str:
        out_features, in_features = self.weight.shape
        return f"{in_features=}, {out_features=}, bias={self.bias is not None}"
