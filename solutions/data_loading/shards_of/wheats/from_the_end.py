"""Dealt out from the end."""

from collections.abc import Sequence


def shards_of(paths: Sequence[str], reader: int, readers: int) -> list[str]:
    return [paths[-1 - number] for number in range(reader, len(paths), readers)]
