"""Blocks of equal size, rounded up: the last reader may get none.

Fails: test_everyone_has_a_part
Says: blocks are rounded up, so that the last reader may get nothing
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    size = -(-len(paths) // readers)
    return list(paths[reader * size : (reader + 1) * size])
