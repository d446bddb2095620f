"""random.choice, from a seed: the index is not used.

Fails: test_names, test_evaluation, test_items, test_order, test_ends, test_lazy, test_training
Costs: 4, because no item is the one that was asked for.
Says: the index is not used: each item is drawn at random
"""

import fnmatch
import os
import random
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.paths = sorted(path for path in Path(folder).iterdir() if fnmatch.fnmatch(path.name, pattern))
        if not self.paths:
            raise FileNotFoundError(f"no file in {folder} matches {pattern}")
        self.random = random.Random(0)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        path = self.random.choice(self.paths)
        return torch.from_numpy(np.load(path)), path.name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, drop_last=train and len(self) >= batch_size, num_workers=workers)
