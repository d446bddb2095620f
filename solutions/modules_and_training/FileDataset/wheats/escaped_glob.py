"""glob, which is told that the name of the folder is no pattern; names without a Path."""

import glob
import os

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.files = sorted(glob.glob(os.path.join(glob.escape(os.fspath(folder)), pattern)))
        assert len(self.files) > 0, f"nothing in {folder!r} fits {pattern!r}"

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        with open(self.files[i], "rb") as file:
            array = np.load(file)
        return torch.tensor(array), os.path.basename(self.files[i])

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        if not train:
            return DataLoader(self, batch_size=batch_size, num_workers=workers)
        return DataLoader(self, batch_size=batch_size, shuffle=True, drop_last=batch_size < len(self), num_workers=workers)
