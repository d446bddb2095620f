"""Plain tensors that need a gradient: the module does not see them.

Fails: test_names, test_line, test_parameters, test_load, test_copy
Says: weight and bias are plain tensors, so the module does not know them
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
        bound = in_features**-0.5
        self.weight = torch.empty(out_features, in_features, device=device, dtype=dtype).uniform_(-bound, bound).requires_grad_()
        if bias:
            self.bias = torch.empty(out_features, device=device, dtype=dtype).uniform_(-bound, bound).requires_grad_()
        else:
            self.bias = None

    def forward(self, x: Tensor) -> Tensor:
        result = x @ self.weight.T
        return result if self.bias is None else result + self.bias

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
