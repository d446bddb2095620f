"""An item is made by a function outside of the class; the names are regular files only."""

import os
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler


def read(root: str, name: str) -> tuple[Tensor, str]:
    return torch.from_numpy(np.load(os.path.join(root, name))), name


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.root = os.path.abspath(folder)
        self.names = sorted(p.name for p in Path(self.root).glob(pattern) if p.is_file() and p.parent == Path(self.root))
        if not self.names:
            raise FileNotFoundError(f"{folder=} {pattern=}: no file")

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        return read(self.root, self.names[i])

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        settings = {"num_workers": workers}
        if train:
            settings.update(sampler=RandomSampler(self), drop_last=len(self) >= batch_size)
        return DataLoader(self, batch_size, **settings)
