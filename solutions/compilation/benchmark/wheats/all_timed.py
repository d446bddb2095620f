"""Times all calls, and leaves out the first ones."""

import statistics
from collections.abc import Callable


def benchmark(
    function: Callable[[], object],
    synchronize: Callable[[], None],
    clock: Callable[[], float],
    warmup: int = 3,
    repeats: int = 7,
) -> float:
    times = []
    for _ in range(warmup + repeats):
        start = clock()
        function()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times[warmup:])
