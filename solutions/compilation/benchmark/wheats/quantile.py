"""The quantile 0.5 of a float64 tensor."""

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
    return torch.tensor(times, dtype=torch.float64).quantile(0.5).item()
