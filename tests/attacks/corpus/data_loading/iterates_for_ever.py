"""An epoch without an end.

Family: wearing the machine out
Wall: time and memory limits
Marks: 0
Says: Your code
"""

from torch.utils.data import IterableDataset


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.zero = torch.zeros(1)

    def __iter__(self):
        while True:
            yield "again", self.zero
