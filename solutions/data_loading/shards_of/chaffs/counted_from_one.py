"""Readers are counted from 1.

Fails: test_two_readers, test_uneven (missing)
Costs: 0.5, because every n-th path is nobody's.
Says: the readers are counted from 1
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return [path for number, path in enumerate(paths) if number % readers == reader - 1]
