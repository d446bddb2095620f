"""Everyone gets len // readers paths, and nobody the rest.

Fails: test_uneven (missing), test_few_paths (missing)
Costs: 0.5, because wherever there is a rest it is lost.
Says: what is left over by the division is given to nobody
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    size = len(paths) // readers
    return list(paths[reader * size : (reader + 1) * size])
