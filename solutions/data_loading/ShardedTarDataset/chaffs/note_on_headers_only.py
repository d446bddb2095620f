"""A note says where an error happened, in a generator that has let go of the member when its data are read.

Fails: test_cut_shard (text)
Says: an error inside a shard's data does not say which shard it is
"""

import itertools
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
                        yield member.name, shard.extractfile(member)
            except Exception as error:
                error.add_note(f"while reading the shard {path!s}" if isinstance(path, str) else f"in {path.__fspath__()}")
                raise

    def __iter__(self):
        info = get_worker_info()
        count = self.world_size * (info.num_workers if info else 1)
        first = self.rank * (info.num_workers if info else 1) + (info.id if info else 0)
        for name, file in itertools.islice(self._members(), first, None, count):
            yield name, decode(file.read())
