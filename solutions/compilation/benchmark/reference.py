"""Warms up, waits, and times each call until the device is idle again.

Why: the clock is read twice a call, each time when nothing is left in the queue. So no time has another call's work in it, and
    the median forgets the few calls during which the machine did something else.
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
        start = clock()
        function()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times)
