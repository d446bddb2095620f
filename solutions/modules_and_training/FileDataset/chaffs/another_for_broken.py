"""A broken file is replaced by its neighbour, "to keep the training going".

Fails: test_broken
Says: a broken file is replaced by another one
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
        if not self.paths:
            raise FileNotFoundError(f"no file in {folder} matches {pattern}")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        path = self.paths[i]
        try:
            return torch.from_numpy(np.load(path)), path.name
        except (ValueError, EOFError, OSError):
            return self[i - 1]

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, drop_last=train and len(self) >= batch_size, num_workers=workers)
