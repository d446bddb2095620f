"""Split by sample: every reader walks through all headers and reads the data of every n-th member.

Why: All readers of the job share one numbering. rank * workers + worker is this reader's own number, from 0 to
    world_size * workers - 1, and as every reader walks through the same headers in the same order, counting them gives
    each sample the same position everywhere: position % readers says whose it is, with nothing left over. Whoever the
    worker is, is asked in __iter__, which runs in the worker; __init__ runs in the main process. The position is a local
    variable, so each epoch begins anew, and the with block closes the archive where an epoch is abandoned, too. The
    work is even, but every reader opens every shard.
"""

import os
import tarfile
from collections.abc import Iterator, Sequence

from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths: Sequence[str | os.PathLike], *, rank: int = 0, world_size: int = 1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self) -> Iterator[tuple[str, Tensor]]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        position = 0
        for path in self.paths:
            try:
                with tarfile.open(path, "r:") as archive:
                    for member in archive:
                        if not member.isreg():
                            continue
                        if position % readers == reader:
                            yield member.name, decode(archive.extractfile(member).read())
                        position += 1
            except (OSError, tarfile.TarError) as error:
                raise RuntimeError(f"cannot read the shard {path}: {error}") from error
