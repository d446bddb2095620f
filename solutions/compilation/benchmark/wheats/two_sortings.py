"""The mean of the lower and the upper median, in float32."""

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
    both = torch.tensor(times)
    return float((both.median() - (-both).median()) / 2)
