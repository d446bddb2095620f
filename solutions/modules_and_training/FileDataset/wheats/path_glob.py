"""Path.glob, whose folder is no pattern."""

import os
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        super().__init__()
        self.folder, self.pattern = Path(folder), pattern
        self.names = sorted(path.name for path in self.folder.glob(pattern))
        if len(self.names) == 0:
            raise ValueError(f"No files: folder {folder}, pattern {pattern}")

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        name = self.names[i]
        return torch.as_tensor(np.load(self.folder / name)), name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        only_one = len(self) < batch_size
        return DataLoader(self, batch_size, train, num_workers=workers, drop_last=train and not only_one)
