"""Blocks of neighbours, whose borders are rounded.

Why: the borders are the multiples of len(paths) / readers, rounded down. Each block ends where the next begins, so nothing is
    lost or doubled, and two blocks differ by at most one path. Rounding the size of a block instead loses the rest, or leaves
    the last reader without any.
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return list(paths[len(paths) * reader // readers : len(paths) * (reader + 1) // readers])
