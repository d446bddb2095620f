"""The folder is cut off a member's name.

Fails: test_one_shard, test_arrays_and_names (values)
Costs: 0.5, because half of the task is the name.
Says: the names are not the whole names of the members
"""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                yield os.path.basename(member.name), decode(archive.extractfile(member).read())
