"""Shards are dealt out by size, the largest first, each to the reader that has the least to do so far."""

import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


def read_shard(path):
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                if member.isreg():
                    yield member.name, decode(archive.extractfile(member).read())
    except (OSError, tarfile.TarError) as error:
        raise RuntimeError(f"cannot read the shard {path}: {error}") from error


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0  # opening it will say what is wrong


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        loads = [0] * readers
        for path in sorted(self.paths, key=lambda path: (-size_of(path), path)):
            least = loads.index(min(loads))
            loads[least] += size_of(path) + 1
            if least == reader:
                yield from read_shard(path)
