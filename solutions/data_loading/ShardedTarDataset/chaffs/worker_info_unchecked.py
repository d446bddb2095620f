"""get_worker_info() is taken to be there always; in the main process it is None.

Fails: test_one_process (raised), test_two_ranks (raised), test_samples (raised), test_ranks (raised)
Says: get_worker_info() is not expected to be None, which it is in the main process
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
        reader, readers = self.rank * info.num_workers + info.id, self.world_size * info.num_workers
        for path in self.paths[reader::readers]:
            yield from read_shard(path)
