"""Has other defaults than the stub.

Fails: test_calls
Says: the defaults are not those of the stub
"""

import statistics
from collections.abc import Callable


def benchmark(
    function: Callable[[], object],
    synchronize: Callable[[], None],
    clock: Callable[[], float],
    warmup: int = 3,
    repeats: int = 5,
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
