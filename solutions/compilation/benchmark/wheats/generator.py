"""A generator of times, whose first ones are thrown away."""

import statistics
from collections.abc import Callable, Iterator


def _times(function, synchronize, clock) -> Iterator[float]:
    while True:
        synchronize()
        before = clock()
        function()
        synchronize()
        yield clock() - before


def benchmark(
    function: Callable[[], object],
    synchronize: Callable[[], None],
    clock: Callable[[], float],
    warmup: int = 3,
    repeats: int = 7,
) -> float:
    times = _times(function, synchronize, clock)
    for _ in range(warmup):
        next(times)
    return float(statistics.median(next(times) for _ in range(repeats)))
