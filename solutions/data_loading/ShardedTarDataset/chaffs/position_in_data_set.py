"""The position is an attribute: an epoch goes on where the one before was left.

Fails: test_after_abandoned_epoch (missing)
Says: the position is kept in the data set, so that an epoch goes on where the one before it was left
"""

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


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size
        self.shard = 0

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        mine = self.paths[reader::readers]
        while self.shard < len(mine):
            yield from read_shard(mine[self.shard])
            self.shard += 1
        self.shard = 0
