"""The shard at hand is an attribute, closed when its end is reached: not where an epoch is abandoned.

Fails: test_open_files
Says: a shard is closed only when its end is reached, and stays open where an epoch is abandoned
"""

import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        for path in self.paths[reader::readers]:
            try:
                archive = self.archive = tarfile.open(path)
                for member in archive:
                    if member.isreg():
                        yield member.name, decode(archive.extractfile(member).read())
                archive.close()
            except (OSError, tarfile.TarError) as error:
                raise RuntimeError(f"cannot read the shard {path}: {error}") from error

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "archive"}
