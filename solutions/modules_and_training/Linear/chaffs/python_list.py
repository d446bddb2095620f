"""Parameters in a Python list, where nn.Module does not look.

Fails: test_by_hand, test_names, test_line, test_parameters, test_no_bias, test_load, test_copy
Costs: 4, because weight and bias have no names, and nothing is trained or saved.
Says: the parameters are hidden in a Python list
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
        self.params = [nn.Parameter(torch.empty(out_features, in_features, device=device, dtype=dtype).uniform_(-bound, bound))]
        if bias:
            self.params.append(nn.Parameter(torch.empty(out_features, device=device, dtype=dtype).uniform_(-bound, bound)))

    def forward(self, x: Tensor) -> Tensor:
        result = x @ self.params[0].T
        return result + self.params[1] if len(self.params) == 2 else result

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={len(self.params) == 2}"
