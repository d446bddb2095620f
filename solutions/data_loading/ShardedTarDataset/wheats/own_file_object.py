"""The file is opened by hand and handed to tarfile; shards are taken in turn by whoever they belong to."""

import tarfile
from contextlib import closing
from pathlib import Path

from torch.utils.data import IterableDataset, get_worker_info


class BrokenShardError(RuntimeError):
    pass


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [Path(path) for path in paths]
        self.rank = rank
        self.world_size = world_size

    def _mine(self):
        info = get_worker_info()
        for number, path in enumerate(self.paths):
            number, rank = divmod(number, self.world_size)
            if rank == self.rank and (info is None or number % info.num_workers == info.id):
                yield path

    def __iter__(self):
        for path in self._mine():
            try:
                with path.open("rb") as file, closing(tarfile.TarFile(fileobj=file)) as archive:
                    while (member := archive.next()) is not None:
                        if member.isfile():
                            with archive.extractfile(member) as data:
                                yield member.name, decode(data.read())
                        archive.members.clear()
            except (OSError, tarfile.TarError) as error:
                raise BrokenShardError(str(path)) from error
