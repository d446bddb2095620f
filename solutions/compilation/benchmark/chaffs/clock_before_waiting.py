"""Reads the clock, and waits then.

Fails: test_left_behind
Says: the clock is read before the device has become idle
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
    times = []
    for _ in range(repeats):
        start = clock()
        synchronize()
        function()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times)
