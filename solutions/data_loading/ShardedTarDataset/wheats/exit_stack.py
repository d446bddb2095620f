"""pathlib, an ExitStack, and errors of a type of its own."""

import contextlib
import os
import tarfile
from itertools import chain, count
from pathlib import Path

from torch.utils.data import IterableDataset, get_worker_info


class ShardError(Exception):
    """A shard that cannot be read."""

    def __init__(self, path):
        super().__init__(f"the shard {path} is missing, empty or cut off")


@contextlib.contextmanager
def naming(path):
    try:
        yield
    except (OSError, tarfile.TarError, ValueError) as error:
        raise ShardError(path) from error


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = list(map(Path, paths))
        self.job = rank, world_size

    def __iter__(self):
        rank, world_size = self.job
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        turn = chain.from_iterable(range(world_size * workers) for _ in count())
        for path in self.paths:
            with contextlib.ExitStack() as stack:
                stack.enter_context(naming(path))
                file = stack.enter_context(path.open("rb"))
                archive = stack.enter_context(tarfile.TarFile(fileobj=file))
                if os.fstat(file.fileno()).st_size == 0:
                    raise EOFError(path)
                for member in filter(tarfile.TarInfo.isreg, archive):
                    if next(turn) == worker * world_size + rank:
                        yield member.name, decode(archive.extractfile(member).read())
