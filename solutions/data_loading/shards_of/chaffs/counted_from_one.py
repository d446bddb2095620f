"""Readers are counted from 1.

Fails: test_two_readers, test_uneven, test_everyone_has_a_part
Costs: 0.75, because every n-th path is nobody's.
Says: the readers are counted from 1
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return [path for number, path in enumerate(paths) if number % readers == reader - 1]
