"""What runs beside the student's code. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor

ROWS, RANGES, LENGTH, TIMES = 20000, 4000, 4, 3


def some_from_seed(notebook: Any, seed: int, some: Tensor) -> Tensor:
    """Three times the sums of 4000 ranges that are drawn here, and some of them: all on their way would be most of a race."""
    return torch.stack([notebook.range_sums(*drawn(seed + i))[some] for i in range(TIMES)])


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, and ranges of 4 rows each. The judge draws the same ones."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(ROWS, 2, generator=generator)
    starts = torch.randint(ROWS - LENGTH, (RANGES,), generator=generator)
    return x, starts, starts + LENGTH
