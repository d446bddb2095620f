"""Every shard is looked through when the data set is made, so that a broken one is found before training starts."""

import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


def look_through(path):
    """Raise an error with the path unless the archive can be read to its end; the number of its samples."""
    try:
        with tarfile.open(path, "r:") as archive:
            return sum(member.isreg() for member in archive)
    except (OSError, tarfile.TarError) as error:
        raise RuntimeError(f"{path} cannot be read") from error


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.shards = [(os.fspath(path), look_through(path)) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        workers = info.num_workers if info else 1
        offset = self.rank * workers + (info.id if info else 0)
        readers = self.world_size * workers
        total = sum(count for _, count in self.shards)
        begin, end = total * offset // readers, total * (offset + 1) // readers
        position = 0
        for path, count in self.shards:
            if position < end and position + count > begin:
                yield from self.part(path, begin - position, end - position)
            position += count

    @staticmethod
    def part(path, begin, end):
        with tarfile.open(path, "r:") as archive:
            samples = (member for member in archive if member.isreg())
            for number, member in enumerate(samples):
                if begin <= number < end:
                    yield member.name, decode(archive.extractfile(member).read())
