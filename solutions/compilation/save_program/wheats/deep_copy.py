"""A copy is put into evaluation mode, so nothing has to be put back."""

import copy
import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    frozen = copy.deepcopy(model).eval()
    if len(example) == 1:
        example = example.repeat(2, *(1 for _ in example.shape[1:]))
    batch = torch.export.Dim("batch", min=1)
    torch.export.save(torch.export.export(frozen, (example,), dynamic_shapes=[{0: batch}]), path)
