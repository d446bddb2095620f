"""Every array becomes float32.

Fails: test_arrays_and_names
Says: every array is converted to float32
"""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                yield member.name, decode(archive.extractfile(member).read()).float()
