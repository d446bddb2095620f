"""Traces the loop at one example, and keeps its number of steps for all others.

Fails: test_by_hand, test_steps_by_hand, test_values, test_steps, test_limit
Costs: 5, because a recording has one number of steps, whatever the tolerance and the limit are.
Says: the loop was traced, so its number of steps is that of one example
"""

import torch
from torch import Tensor


def _iterate(matrix: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
    v, step = start / start.norm(), torch.tensor(0)
    while True:
        step += 1
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= 1e-6:
            return value, step
        v = w / w.norm()


_example = torch.tensor([[3.0, 1.0], [1.0, 2.0]], dtype=torch.float64), torch.ones(2, dtype=torch.float64)
_traced = torch.jit.trace(_iterate, _example, check_trace=False)


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    value, step = _traced(matrix, start)
    return value, int(step)
