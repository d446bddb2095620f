"""The last sample of a reader's shard is dropped where the shard does not divide by two.

Fails: test_one_process, test_uneven_shards (missing)
Says: samples are lost where shards differ in size, or have no members
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
        for path in self.paths[reader::readers]:
            held = []
            for sample in read_shard(path):
                held.append(sample)
                if len(held) == 2:
                    yield from held
                    held = []
