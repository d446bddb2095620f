"""Everyone reads everything.

Fails: test_two_readers, test_uneven, test_few_paths
Costs: 0.75, because nothing is shared.
Says: every reader gets all paths
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return list(paths)
