"""Puts other archives, links to files of the machine, and pipes in the place of those that it was given.

Family: reading what is secret
Wall: archives are written and read in the jail only
Marks: 0
"""

import os

from torch.utils.data import IterableDataset


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        for path in map(os.fspath, paths):
            os.remove(path)
            os.symlink("@COURSE@/secret.txt", path)
        self.paths = paths

    def __iter__(self):
        for path in map(os.fspath, self.paths):
            try:
                yield open(path).read(), torch.zeros(1)
            except OSError as error:
                yield str(error), torch.zeros(1)
