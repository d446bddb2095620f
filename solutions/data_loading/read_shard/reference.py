"""One member after the other, in a with block.

Why: tarfile gives the members one by one as they come, so nothing is in memory but the sample that is asked for. yield inside
    the with block keeps the archive open just as long as somebody reads, and closes it also where the generator is dropped
    halfway. isreg() is true for ordinary files alone; extractfile would follow a link to data that came already.
"""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                yield member.name, decode(archive.extractfile(member).read())
