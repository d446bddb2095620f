"""No matrix product: each row times each row of the weight, summed."""

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
        self.in_features, self.out_features, self.has_bias = in_features, out_features, bias
        self.register_parameter("weight", nn.Parameter(self.draw(out_features, in_features, device=device, dtype=dtype)))
        self.register_parameter("bias", nn.Parameter(self.draw(out_features, device=device, dtype=dtype)) if bias else None)

    def forward(self, x: Tensor) -> Tensor:
        y = (x.unsqueeze(-2) * self.weight).sum(dim=-1)
        return y + self.bias if self.has_bias else y

    def draw(self, *shape, **where) -> Tensor:
        bound = self.in_features**-0.5
        return torch.rand(shape, **where).mul(2 * bound).sub(bound)

    def extra_repr(self) -> str:
        return "in_features={}, out_features={}, bias={}".format(self.in_features, self.out_features, self.has_bias)
