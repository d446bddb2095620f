"""First an index of name, offset and size of all members, checked against the file's size; then plain seeks."""

import os
import tarfile
from dataclasses import dataclass

from torch.utils.data import IterableDataset, get_worker_info


@dataclass
class Entry:
    path: str
    name: str
    offset: int
    size: int


def index(path):
    """The regular members of a shard, from its headers alone."""
    try:
        with tarfile.open(path, "r:") as archive:
            entries = [Entry(path, m.name, m.offset_data, m.size) for m in archive.getmembers() if m.isreg()]
    except (OSError, tarfile.TarError) as error:
        raise RuntimeError(f"{path}: {error}") from error
    if entries and entries[-1].offset + entries[-1].size > os.path.getsize(path):
        raise RuntimeError(f"{path}: cut off inside {entries[-1].name}")
    return entries


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        entries = [entry for path in self.paths for entry in index(path)]
        mine = entries[reader::readers]
        for path in dict.fromkeys(entry.path for entry in mine):
            with open(path, "rb") as file:
                for entry in mine:
                    if entry.path == path:
                        file.seek(entry.offset)
                        yield entry.name, decode(file.read(entry.size))
