"""A base class of its own draws and names; the numbers come from torch.distributions."""

import torch
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.settings = settings

    def uniform(self, *shape, bound, device, dtype):
        return nn.Parameter(torch.distributions.Uniform(-bound, bound).sample(shape).to(device=device, dtype=dtype))

    def extra_repr(self):
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())


class Linear(Layer):
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(in_features=in_features, out_features=out_features, bias=bias)
        self.weight = self.uniform(out_features, in_features, bound=in_features**-0.5, device=device, dtype=dtype)
        self.bias = self.uniform(out_features, bound=in_features**-0.5, device=device, dtype=dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        result = x @ self.weight.T
        return result if self.bias is None else result + self.bias
