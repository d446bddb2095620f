"""Every readers-th path, beginning with the reader's own number.

Why: the numbers reader, reader + readers, reader + 2 readers, … are those that leave the remainder reader when divided by
    readers. Every number has exactly one remainder, so every path is exactly one reader's, and no case is special: neither a
    rest nor fewer paths than readers.
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return list(paths[reader::readers])
