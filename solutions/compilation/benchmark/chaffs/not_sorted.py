"""The time in the middle of the list, as it was measured.

Fails: test_median_by_hand, test_median
Says: the times are not in order when the middle one is taken
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
    return (times[(repeats - 1) // 2] + times[repeats // 2]) / 2
