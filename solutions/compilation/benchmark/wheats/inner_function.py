"""A function for one time."""

import statistics
from collections.abc import Callable


def benchmark(
    function: Callable[[], object],
    synchronize: Callable[[], None],
    clock: Callable[[], float],
    warmup: int = 3,
    repeats: int = 7,
) -> float:
    def seconds() -> float:
        synchronize()
        start = clock()
        function()
        synchronize()
        return clock() - start

    for _ in range(warmup):
        function()
    return statistics.median([seconds() for _ in range(repeats)])
