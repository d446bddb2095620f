"""All headers first, the data one by one.

Why: getmembers() walks through the whole archive before the first sample, which costs time on a slow disk and a little memory
    for each header. The data are still read when they are asked for, so it streams as well.
"""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    archive = tarfile.open(path)
    try:
        members = [member for member in archive.getmembers() if member.isfile()]
        for member in members:
            yield member.name, decode(archive.extractfile(member).read())
    finally:
        archive.close()
