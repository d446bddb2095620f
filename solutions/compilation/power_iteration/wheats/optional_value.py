"""A value that may be None at first, and an assert that it is not."""

from typing import Optional

from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value: Optional[Tensor] = None
    for step in range(1, max_steps + 1):
        w = matrix @ v
        found = v @ w
        if (w - found * v).norm() <= tolerance:
            return found, step
        value = found
        v = w / w.norm()
    assert value is not None
    return value, max_steps
