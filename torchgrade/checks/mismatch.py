"""Where a wrong result is wrong, small enough for a record and for a picture: at most 24 rows and 24 columns of levels.

    wrong, error ──► a level for each element ──► the last dimension as columns, all others as rows
                 ──► blocks, each as bad as its worst element ──► {"shape": [4, 300], "levels": ["0012…", …]}

Drawn by :mod:`torchgrade.report.pictures`. It says where and how badly, never what was expected.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchgrade.record.measurements import Mismatch

MOST = 24
"""The most rows, and the most columns, of the picture."""

_NEAR, _FAR = 1e-3, 1e-1
"""Shares of the largest finite error: level 1 goes up to the first, 2 up to the second, 3 lies above; not finite is 4."""


def mismatch(wrong: Tensor, error: Tensor | None) -> Mismatch:
    """The levels of a result of at least one dimension. ``error``: how far off each element is; ``None`` if that has no size."""
    level = wrong.to(torch.float32) * 3
    if error is not None:
        off = error.detach().to(torch.float64).masked_fill(~wrong, 0.0)
        largest = off.masked_fill(~off.isfinite(), 0.0).max()
        level -= ((off <= largest * _FAR) & wrong).to(torch.float32) + ((off <= largest * _NEAR) & wrong).to(torch.float32)
        level = level.masked_fill(wrong & ~off.isfinite(), 4)
    grid = level.reshape(-1, wrong.shape[-1])
    size = (min(MOST, grid.shape[0]), min(MOST, grid.shape[1]))
    blocks = torch.nn.functional.adaptive_max_pool2d(grid.cpu()[None, None], size)[0, 0]
    return {"shape": list(wrong.shape), "levels": ["".join(str(int(value)) for value in row) for row in blocks.tolist()]}
