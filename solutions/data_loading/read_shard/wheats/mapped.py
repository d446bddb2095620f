"""A generator expression over the regular members."""

import os
import tarfile
from collections.abc import Iterator

from torch import Tensor


def read_shard(path: str | os.PathLike) -> Iterator[tuple[str, Tensor]]:
    archive = tarfile.open(path, "r:")
    return ((member.name, decode(archive.extractfile(member).read())) for member in archive if member.isreg())
