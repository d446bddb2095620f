"""Ranks share the shards, the workers of a rank share the samples of each of its shards.

Why: The two ways are combined: a rank owns its shards, so no file is read by two machines, and its workers take turns
    within each shard, so that they have the same amount to do. That works without one number for all readers, since
    each of the two divisions is exact by itself.
"""

import itertools
import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for path in self.paths[self.rank :: self.world_size]:
            yield from itertools.islice(self._members(path), first, None, step)
            # islice stops as soon as it can; the others' members are walked over, so that a cut is noticed by somebody.

    def _members(self, path):
        try:
            archive = tarfile.open(path, "r:")
        except (OSError, tarfile.TarError) as error:
            raise OSError(f"{path}: {error}") from error
        with archive:
            try:
                for member in archive:
                    if member.isfile():
                        yield member.name, decode(archive.extractfile(member).read())
            except (OSError, tarfile.TarError) as error:
                raise OSError(f"{path}: {error}") from error
