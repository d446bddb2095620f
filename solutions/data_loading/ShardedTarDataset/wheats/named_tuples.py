"""Samples are named tuples; each shard is a small object that knows how to read itself."""

import dataclasses
import os
import tarfile
from collections.abc import Iterator
from typing import NamedTuple

from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info


class Sample(NamedTuple):
    name: str
    tensor: Tensor


@dataclasses.dataclass(frozen=True)
class Shard:
    path: str

    def __iter__(self) -> Iterator[Sample]:
        try:
            with tarfile.open(self.path, "r:") as archive:
                for member in filter(tarfile.TarInfo.isreg, archive):
                    yield Sample(name=member.name, tensor=decode(archive.extractfile(member).read()))
        except (OSError, tarfile.TarError) as error:
            raise RuntimeError(f"cannot read the shard {self.path}: {error}") from error


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.shards = [Shard(os.fspath(path)) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        for shard in self.shards[reader::readers]:
            yield from shard
