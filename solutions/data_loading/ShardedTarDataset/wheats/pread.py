"""os.pread at the places that tarfile found, with a check that the file is as long as its headers say."""

import os
import tarfile

from torch.utils.data import IterableDataset, get_worker_info


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank: int = 0, world_size: int = 1):
        self._paths = tuple(os.fspath(p) for p in paths)
        self._job = rank, world_size

    def __iter__(self):
        rank, world_size = self._job
        me, team = 0, 1
        if (info := get_worker_info()) is not None:
            me, team = info.id, info.num_workers
        turn = 0
        for path in self._paths:
            for name, offset, size in self._places(path):
                if turn % (world_size * team) == me * world_size + rank:
                    yield name, decode(self._read(path, offset, size))
                turn += 1

    @staticmethod
    def _places(path):
        length = os.path.getsize(path)
        try:
            with tarfile.open(path) as archive:
                for member in archive:
                    if member.offset_data + member.size > length:
                        raise EOFError(f"{path} is cut off in {member.name}")
                    if member.isreg():
                        yield member.name, member.offset_data, member.size
        except tarfile.TarError as error:
            raise ValueError(f"{path}: not a whole tar archive") from error

    @staticmethod
    def _read(path, offset, size):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            return os.pread(descriptor, size, offset)
        finally:
            os.close(descriptor)
