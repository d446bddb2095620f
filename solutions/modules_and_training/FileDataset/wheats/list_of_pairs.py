"""os.listdir, fnmatch.filter and a list of pairs."""

import fnmatch
import os

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        names = sorted(fnmatch.filter(os.listdir(folder), pattern))
        if not names:
            raise FileNotFoundError(2, f"no match for {pattern}", str(folder))
        self.pairs = [(name, os.path.join(folder, name)) for name in names]

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        name, path = self.pairs[i]
        tensor = torch.from_numpy(np.load(path))
        return (tensor, name)

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(
            dataset=self,
            batch_size=batch_size,
            shuffle=bool(train),
            drop_last=bool(train) and len(self.pairs) % batch_size != 0 and len(self.pairs) > batch_size,
            num_workers=workers,
        )
