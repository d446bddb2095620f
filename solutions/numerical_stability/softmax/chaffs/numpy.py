"""Computes in NumPy, which autograd does not see.

Fails: test_gradient (detached), test_minus_infinity (detached), test_on_a_gpu
Says: the result is computed in NumPy, which autograd does not see
"""

import numpy as np
import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.detach().to(torch.promote_types(logits.dtype, torch.float32)).numpy()
    exps = np.exp(x - x.max(axis=dim, keepdims=True))
    return torch.from_numpy(exps / exps.sum(axis=dim, keepdims=True))
