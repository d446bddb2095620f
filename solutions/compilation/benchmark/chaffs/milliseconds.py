"""Returns milliseconds.

Fails: test_waits, test_median_by_hand
Says: the result is in milliseconds
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
    return 1000 * statistics.median(times)
