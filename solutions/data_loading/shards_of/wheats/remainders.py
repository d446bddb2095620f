"""A loop that looks at the remainder."""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return [path for number, path in enumerate(paths) if number % readers == reader]
