"""`nn.Parameter(...) * k`: the result of a product is no parameter any more.

Fails: test_names, test_line, test_parameters, test_load, test_copy
Says: the parameters are multiplied after they were made, and a product is no parameter
"""

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
        self.in_features, self.out_features = in_features, out_features
        k = in_features**-0.5
        self.weight = nn.Parameter(2 * torch.rand(out_features, in_features, device=device, dtype=dtype) - 1) * k
        self.bias = nn.Parameter(2 * torch.rand(out_features, device=device, dtype=dtype) - 1) * k if bias else None

    def forward(self, x: Tensor) -> Tensor:
        result = x @ self.weight.T
        return result if self.bias is None else result + self.bias

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
