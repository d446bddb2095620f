"""Worker k reads shard k, and there have to be as many workers as shards.

Fails: test_two_workers (raised), test_two_ranks (raised), test_workers (raised), test_ranks (raised),
    test_workers_and_ranks (raised), test_few_shards (raised), test_readers_agree
Says: worker k reads shard k and no other
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

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        if readers == 1:
            paths = self.paths
        elif readers == len(self.paths):
            paths = [self.paths[reader]]
        else:
            raise ValueError(f"num_workers must equal the number of files, {len(self.paths)}")
        for path in paths:
            yield from read_shard(path)
