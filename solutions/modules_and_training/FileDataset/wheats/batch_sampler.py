"""Samplers that say what shuffle and drop_last would do, and the batch size cut to the size of the set."""

import fnmatch
import os

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class FileDataset(Dataset):
    def __init__(self, folder: str | os.PathLike, pattern: str = "*.npy"):
        self.folder = os.fspath(folder)
        self.names = [
            entry.name for entry in os.scandir(self.folder) if entry.is_file() and fnmatch.fnmatchcase(entry.name, pattern)
        ]
        self.names.sort()
        if not self.names:
            raise RuntimeError("no files for " + os.path.join(self.folder, pattern))

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, i: int) -> tuple[Tensor, str]:
        array = np.load(os.path.join(self.folder, self.names[i]), allow_pickle=False)
        return torch.from_numpy(array.copy()), self.names[i]

    def loader(self, batch_size: int, *, train: bool, workers: int = 0) -> DataLoader:
        sampler = RandomSampler(self) if train else SequentialSampler(self)
        batches = BatchSampler(sampler, min(batch_size, len(self)), drop_last=train)
        return DataLoader(self, batch_sampler=batches, num_workers=workers)
