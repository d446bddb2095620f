"""Gathers on the CPU, and sends the result back to where the values are.

Fails: test_waits_on_a_gpu, test_speed_on_a_gpu
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device="cpu").reshape(-1, *[1] * (indices.dim() - 1))
    return values.cpu()[rows, indices.cpu()].to(values.device)
