"""Every member is taken for a regular file.

Fails: test_other_members
Says: every member is taken for a regular file, folders too
"""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    with tarfile.open(path) as archive:
        for member in archive:
            yield member.name, decode(archive.extractfile(member).read())
