"""Starts processes that hold the archives, and stay when the loader is done with them.

Family: outliving the run
Wall: PID namespace; the process tree is killed
Marks: 0
"""

import os
import time

from torch.utils.data import IterableDataset


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        if os.fork() == 0:
            os.setsid()
            held = [open(path, "rb") for path in paths]
            time.sleep(60)
            os._exit(len(held) % 2)

    def __iter__(self):
        return iter([])
