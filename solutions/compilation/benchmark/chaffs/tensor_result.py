"""Returns a tensor.

Fails: test_float
Says: the result is a tensor
"""

from collections.abc import Callable

import torch


def benchmark(
    function: Callable[[], object],
    synchronize: Callable[[], None],
    clock: Callable[[], float],
    warmup: int = 3,
    repeats: int = 7,
) -> float:
    for _ in range(warmup):
        function()
    synchronize()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        synchronize()
        times.append(clock() - start)
    return torch.tensor(times).quantile(0.5)
