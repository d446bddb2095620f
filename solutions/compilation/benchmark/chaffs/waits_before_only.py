"""Waits before each call, not after it.

Fails: test_waits, test_synchronized, test_left_behind
Costs: 4, because times of a device that nobody waits for are the times of something else.
Says: the device is waited for before a call, and not after it
"""

import statistics
from collections.abc import Callable


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
        synchronize()
        start = clock()
        function()
        times.append(clock() - start)
    return statistics.median(times)
