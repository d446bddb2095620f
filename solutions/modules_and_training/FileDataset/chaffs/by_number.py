"""Sorted by the number in the name, as a person would.

Fails: test_names, test_order
Says: the files are sorted by the number in their names, and not as text
"""

import fnmatch
import os
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.paths = sorted(path for path in Path(folder).iterdir() if fnmatch.fnmatch(path.name, pattern))
        self.paths.sort(key=lambda path: int("".join(c for c in path.stem if c.isdigit()) or 0))
        if not self.paths:
            raise FileNotFoundError(f"no file in {folder} matches {pattern}")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        path = self.paths[i]
        return torch.from_numpy(np.load(path)), path.name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, drop_last=train and len(self) >= batch_size, num_workers=workers)
