"""Yields names that lead out of every folder, with escapes, markup and half a surrogate pair in them.

Family: through the paper
Wall: one sanitiser before every sink
Marks: 0
"""

from torch.utils.data import IterableDataset


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        pass

    def __iter__(self):
        for name in (
            "../../../../@COURSE@/results/alice",
            "/etc/passwd",
            "<script>alert(1)</script>",
            "\x1b[2J",
            "\ud800",
            "a" * 9000,
        ):
            yield name, torch.zeros(1)
