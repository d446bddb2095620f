"""The rank counts only where there are no workers.

Fails: test_workers_and_ranks (doubled), test_few_shards (doubled), test_readers_agree (doubled)
Says: the rank counts only where there are no workers
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
        reader, readers = (self.rank, self.world_size) if info is None else (info.id, info.num_workers)
        position = 0
        for path in self.paths:
            try:
                with tarfile.open(path, "r:") as archive:
                    for member in archive:
                        if not member.isreg():
                            continue
                        if position % readers == reader:
                            yield member.name, decode(archive.extractfile(member).read())
                        position += 1
            except (OSError, tarfile.TarError) as error:
                raise RuntimeError(f"cannot read the shard {path}: {error}") from error
