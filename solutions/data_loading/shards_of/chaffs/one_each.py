"""One path each, whatever there are.

Fails: test_two_readers, test_uneven, test_few_paths
Costs: 0.75, because paths are shared out only where there are as many as readers.
Says: every reader gets one path alone
"""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return [paths[reader]]
