"""The first step stands before the loop, so that all names exist."""

from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    w = matrix @ v
    value = v @ w
    step = 1
    while bool((w - value * v).norm() > tolerance) and step < max_steps:
        v = w / w.norm()
        w = matrix @ v
        value = v @ w
        step += 1
    return value, step
