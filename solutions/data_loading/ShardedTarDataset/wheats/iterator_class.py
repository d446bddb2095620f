"""An iterator class instead of a generator; it holds one open archive and closes it at the end, or when it goes."""

import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


class Reading:
    """One walk over some shards."""

    def __init__(self, paths):
        self.paths = iter(paths)
        self.path = self.archive = None

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            try:
                member = self.next_member()
                if member.isfile():
                    return member.name, decode(self.archive.extractfile(member).read())
            except (OSError, tarfile.TarError) as error:
                self.close()
                raise RuntimeError("broken shard: " + self.path) from error

    def next_member(self):
        while True:
            if self.archive is None:
                self.path = next(self.paths)
                self.archive = tarfile.open(self.path, mode="r:")
            member = self.archive.next()
            if member is not None:
                return member
            self.close()

    def close(self):
        if self.archive is not None:
            self.archive.close()
            self.archive = None

    def __del__(self):
        self.close()


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        paths = self.paths[self.rank :: self.world_size]
        if info is not None:
            paths = paths[info.id :: info.num_workers]
        return Reading(paths)
