"""What runs beside the student's class: files are written into the scratch folder, and changed there. Nothing here is secret."""

import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor


def write(_: Any, folder: str, arrays: list[tuple[str, Tensor]]) -> str:
    """Write arrays in this order into a folder of this name, which is new; its path."""
    path = Path(tempfile.mkdtemp(prefix="files-")) / folder
    path.mkdir()
    for name, array in arrays:
        file = path / name
        file.parent.mkdir(exist_ok=True)
        np.save(file, array.numpy()) if file.suffix == ".npy" else file.write_bytes(array.numpy().tobytes())
    return str(path)


def rewrite(_: Any, path: str, array: Tensor) -> None:
    """Write another array into a file."""
    np.save(path, array.numpy())


def cut(_: Any, path: str) -> None:
    """Take away the second half of a file."""
    file = Path(path)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def by_path(notebook: Any, folder: str) -> int:
    """How many items a folder has that is given as a Path."""
    return len(notebook.FileDataset(Path(folder)))


def edited(notebook: Any, folder: str) -> list[Tensor]:
    """Each file's numbers, after the tensors of all items were changed."""
    data = notebook.FileDataset(folder)
    items = [data[i] for i in range(len(data))]
    for item in items:
        _tensor_in(item).add_(100)
    del items
    return [torch.from_numpy(np.load(path)) for path in sorted(Path(folder).iterdir())]


def kept(notebook: Any, folder: str) -> int:
    """How many items there are, if all of them are kept at a time."""
    data = notebook.FileDataset(folder)
    return len([data[i] for i in range(len(data))])


def sent(notebook: Any, folder: str) -> Tensor:
    """The items of a data set that was pickled, as for a worker that is started by spawn."""
    data = pickle.loads(pickle.dumps(notebook.FileDataset(folder)))  # noqa: S301 - our own bytes, in the jail
    return torch.stack([_tensor_in(data[i]).clone() for i in range(len(data))])


def by_workers(notebook: Any, folder: str, batch_size: int, workers: int) -> tuple[Tensor, int]:
    """What an evaluation gives with workers, in one tensor, and how many workers the loader says that it has."""
    loader = notebook.FileDataset(folder).loader(batch_size, train=False, workers=workers)
    return torch.cat([_tensor_in(batch).clone() for batch in loader]), loader.num_workers


def _tensor_in(sample: Any) -> Tensor:
    """The tensor of a sample, in whichever place it stands, and also if it is an array: other checks look at that."""
    return next(torch.as_tensor(part) for part in sample if isinstance(part, Tensor | np.ndarray))
