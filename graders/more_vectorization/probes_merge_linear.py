"""What runs beside the student's code. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor

PAIRS, WIDTH, OUT = 256, 192, 16


def merged_from_seed(notebook: Any, seed: int, some: Tensor) -> Tensor:
    """The result for some of 256 x 256 pairs that are drawn here: four megabytes on their way would be most of a race."""
    return notebook.merge_linear(*drawn(seed))[some]


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Vectors a and b, weight and bias. The judge draws the same ones."""
    generator = torch.Generator().manual_seed(seed)
    shapes = ((PAIRS, 1, WIDTH), (1, PAIRS, WIDTH), (OUT, 2 * WIDTH), (OUT,))
    a, b, weight, bias = (torch.randn(shape, generator=generator) for shape in shapes)
    return a, b, weight, bias
