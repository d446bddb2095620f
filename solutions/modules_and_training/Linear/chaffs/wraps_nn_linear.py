"""An nn.Linear inside.

Fails: test_by_hand, test_names, test_own
Costs: 7.5, because the layer was to be written, and not to be taken.
Says: the layer is an nn.Linear, which was to be written
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
        self.linear = nn.Linear(in_features, out_features, bias, device=device, dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.linear.bias is not None}"
