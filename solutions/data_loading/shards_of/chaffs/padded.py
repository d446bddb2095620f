"""Like DistributedSampler: filled up from the beginning until it divides evenly.

Fails: test_uneven (doubled), test_few_paths (doubled)
Costs: 0.5, because wherever there is a rest some paths are read twice.
Says: the list is filled up until it divides evenly, so that some paths come twice
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    filled = list(paths)
    while len(filled) % readers:
        filled.append(filled[len(filled) % max(len(paths), 1)])
    return filled[reader::readers]
