"""One loop, with a return in it and another after it, and a value that exists before the loop.

Why: the compiler reads every path. After the loop it asks which value there is if the loop was never entered, so `value` has to
    begin as something of the same type. Types stand in the signature: without them, all four arguments would be tensors.
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / torch.linalg.vector_norm(start)
    value = matrix.new_zeros(())
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if torch.linalg.vector_norm(w - value * v) <= tolerance:
            return value, step
        v = w / torch.linalg.vector_norm(w)
    return value, max_steps
