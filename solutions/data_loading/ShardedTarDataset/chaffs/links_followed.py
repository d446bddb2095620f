"""Only folders are skipped; a link is read as the member that it points to.

Fails: test_other_members (doubled)
Says: links are read, too, as the members that they point to
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
        position = 0
        for path in self.paths:
            try:
                with tarfile.open(path, "r:") as archive:
                    for member in archive:
                        if not (not member.isdir() and not member.isfifo()):
                            continue
                        if position % readers == reader:
                            yield member.name, decode(archive.extractfile(member).read())
                        position += 1
            except (OSError, tarfile.TarError) as error:
                raise RuntimeError(f"cannot read the shard {path}: {error}") from error
