"""torch.median, which is the lower of the two.

Fails: test_median_by_hand, test_median
Says: with an even number of times, the lower of the middle two is taken, as torch.median does
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
    return torch.tensor(times).median().item()
