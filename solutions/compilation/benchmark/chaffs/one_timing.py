"""Times all calls together, and divides.

Fails: test_waits, test_synchronized, test_median_by_hand, test_median
Costs: 5, because neither a single call nor a median can be found in a sum.
Says: all calls are timed together, and the sum is divided by their number
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
    start = clock()
    for _ in range(repeats):
        function()
    synchronize()
    return (clock() - start) / repeats
