"""Headers by next(), until there is none."""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    with tarfile.open(path) as archive:
        while (member := archive.next()) is not None:
            if member.type in tarfile.REGULAR_TYPES:
                with archive.extractfile(member) as file:
                    yield member.name, decode(file.read())
