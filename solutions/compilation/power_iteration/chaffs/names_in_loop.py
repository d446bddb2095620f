"""The value gets its name in the loop only.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: a name is used after the loop that only the loop defines
"""

from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
