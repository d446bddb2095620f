"""All samples numbered, every n-th of them taken; an error gets a note that says where it happened."""

import itertools
import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        super().__init__()
        self.paths, self.rank, self.world_size = list(paths), rank, world_size

    def _members(self):
        for path in self.paths:
            try:
                with tarfile.open(path, mode="r:") as shard:
                    for member in filter(tarfile.TarInfo.isreg, shard):
                        yield member.name, shard.extractfile(member).read
            except Exception as error:
                error.add_note(f"while reading the shard {os.fspath(path)}")
                raise

    def __iter__(self):
        info = get_worker_info()
        count = self.world_size * (info.num_workers if info else 1)
        first = self.rank * (info.num_workers if info else 1) + (info.id if info else 0)
        samples = self._members()
        for name, read in itertools.islice(samples, first, None, count):
            try:
                data = read()
            except Exception as error:
                samples.throw(error)
            yield name, decode(data)
