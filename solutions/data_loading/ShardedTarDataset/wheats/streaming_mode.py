"""tarfile's stream mode, which reads from front to back and never seeks; everyone decodes only what is theirs."""

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
        count = -1
        for path in self.paths:
            try:
                with open(path, "rb") as file, tarfile.open(fileobj=file, mode="r|") as archive:
                    while (member := archive.next()) is not None:
                        if not member.isreg():
                            continue
                        count += 1
                        if count % readers == reader:
                            yield member.name, decode(archive.extractfile(member).read())
            except (OSError, tarfile.TarError) as error:
                raise ValueError(f"shard {path} is broken") from error
