"""nn.Linear as base class: nothing is left to do.

Fails: test_names, test_own
Costs: 7, because the layer was to be written, and not to be taken.
Says: the layer is an nn.Linear, which was to be written
"""

import torch
from torch import Tensor, nn


class Linear(nn.Linear):
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
