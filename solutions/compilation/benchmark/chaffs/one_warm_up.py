"""Warms up with one call, whatever warmup says.

Fails: test_calls_by_hand, test_warm_up, test_calls
Says: there is one call to warm up, and not as many as warmup says
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
    if warmup:
        function()
    synchronize()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times)
