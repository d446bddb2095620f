"""The index is checked by hand, and the bytes are read first."""

import io
import os
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.paths = tuple(sorted(str(path) for path in Path(folder).iterdir() if path.match(pattern)))
        if not self.paths:
            raise FileNotFoundError(f"no file in {folder} matches {pattern}")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        n = len(self)
        if i < -n or i >= n:
            raise IndexError(f"item {i} of {n}")
        path = Path(self.paths[i % n])
        return torch.from_numpy(np.load(io.BytesIO(path.read_bytes()))), path.name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        return DataLoader(self, batch_size, shuffle=train, drop_last=train and len(self) // batch_size > 0, num_workers=workers)
