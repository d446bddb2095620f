"""No error where nothing was found.

Fails: test_none
Says: an empty folder is no error
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

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        path = self.paths[i]
        return torch.from_numpy(np.load(path)), path.name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, drop_last=train and len(self) >= batch_size, num_workers=workers)
