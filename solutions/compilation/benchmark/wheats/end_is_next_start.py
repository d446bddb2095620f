"""Each end is the next start."""

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
    stamps = [clock()]
    while len(stamps) <= repeats:
        function()
        synchronize()
        stamps.append(clock())
    ordered = sorted(b - a for a, b in zip(stamps, stamps[1:]))
    return 0.5 * (ordered[(repeats - 1) // 2] + ordered[repeats // 2])
