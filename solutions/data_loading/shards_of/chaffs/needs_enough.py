"""Refuses to work where there are more readers than paths.

Fails: test_few_paths
Says: it does not work with more readers than paths
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    if readers > len(paths):
        raise ValueError("more readers than paths")
    return list(paths[reader::readers])
