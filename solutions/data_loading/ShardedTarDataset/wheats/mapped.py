"""Shards are mapped into memory: the system loads pages that are read, and drops them where memory is short."""

import mmap
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
        position = -1
        for path in self.paths:
            try:
                with (
                    open(path, "rb") as file,
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages,
                    tarfile.open(fileobj=pages) as archive,
                ):
                    for member in archive:
                        position += member.isreg()
                        if member.isreg() and position % readers == reader:
                            end = member.offset_data + member.size
                            yield member.name, decode(pages[member.offset_data : end])
            except (OSError, ValueError, tarfile.TarError) as error:
                raise RuntimeError(f"{path}: {error}") from error
