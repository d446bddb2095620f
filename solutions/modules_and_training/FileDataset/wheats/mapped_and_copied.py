"""The file is mapped, copied, and let go of."""

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
            raise LookupError(f"no file in {folder} matches {pattern}")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        mapped = np.load(self.paths[i], mmap_mode="r")
        tensor = torch.from_numpy(np.array(mapped))
        del mapped
        return tensor, self.paths[i].name

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        drop = train
        if batch_size > len(self.paths):
            drop = False
        return DataLoader(self, batch_size=batch_size, shuffle=train, drop_last=drop, num_workers=workers)
