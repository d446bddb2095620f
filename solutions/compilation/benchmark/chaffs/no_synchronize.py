"""Does not wait for the device.

Fails: test_waits, test_synchronized, test_left_behind
Costs: 4, because times of a device that nobody waits for are the times of something else.
Says: the device is not waited for, so only the way to it is timed
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
        function()
        times.append(clock() - start)
    return statistics.median(times)
