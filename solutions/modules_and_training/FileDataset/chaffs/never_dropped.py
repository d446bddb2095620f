"""Nothing is ever dropped.

Fails: test_last_batch
Says: no batch is ever dropped
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
        return torch.from_numpy(np.load(path)), path.name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, num_workers=workers)
