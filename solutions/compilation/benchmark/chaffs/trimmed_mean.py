"""The mean without the smallest and the largest time.

Fails: test_median
Says: the result is a mean without the extremes
"""

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
    kept = sorted(times)[1:-1] or times
    return sum(kept) / len(kept)
