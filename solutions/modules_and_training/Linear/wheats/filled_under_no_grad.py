"""Parameters first, which are filled in place under no_grad."""

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
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.zeros(out_features, in_features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.zeros(out_features, device=device, dtype=dtype)) if bias else None
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-1, 1).div_(in_features**0.5)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.matmul(x, self.weight.transpose(0, 1))
        if self.bias is not None:
            y += self.bias
        return y

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
