"""What runs beside the student's code: shards are written in the jail, and read by its class. Nothing here is secret.

The samples that come back are data, which the judge compares with what it drew. Open files, memory and time are measured by the
judge, from outside.
"""

from __future__ import annotations  # the submission may have replaced DataLoader by something without a subscript

import contextlib
import functools
import gc
import io
import itertools
import os
import sys
import tarfile
import tempfile
import traceback
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, get_worker_info

Shards = list[list[tuple[str, Tensor]]]


FORMS = {"str": str, "Path": Path}


@contextlib.contextmanager
def written(shards: Shards, *, others: bool = False) -> Iterator[list[str]]:
    """Shards in a folder of their own: their paths. With ``others``, members that are no regular files stand between."""
    with tempfile.TemporaryDirectory(prefix="shards-") as folder:
        paths = _write(folder, shards, others=others)
        for samples in shards:  # the student's code could find them in this function's callers
            samples.clear()
        yield paths


def _write(folder: str, shards: Shards, *, others: bool) -> list[str]:
    paths = []
    for number, samples in enumerate(shards):
        paths.append(f"{folder}/part {number:03}.tar")
        with tarfile.open(paths[-1], "w", format=tarfile.PAX_FORMAT) as tar:
            if others:
                _add_special(tar, f"{number}/folder", tarfile.DIRTYPE)
            for name, tensor in samples:
                buffer = io.BytesIO()
                np.save(buffer, tensor.numpy())
                member = tarfile.TarInfo(name)
                member.size = buffer.tell()
                buffer.seek(0)
                tar.addfile(member, buffer)
                if others:
                    _add_special(tar, f"{name}.hard", tarfile.LNKTYPE, name)
                    _add_special(tar, f"{name}.soft", tarfile.SYMTYPE, Path(name).name)
            if others:
                _add_special(tar, f"{number}/pipe", tarfile.FIFOTYPE)
    return paths


def _add_special(tar: tarfile.TarFile, name: str, kind: bytes, target: str = "") -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    tar.addfile(member)


_theirs: dict[tuple[int, str], Any] = {}
_in_place: list[str] = []
"""The names of the functions that are ours at the moment: a spawned worker has to be told."""
_NOT_THERE = object()


def put_in_place(notebook: Any, names: list[str]) -> None:
    """Put right functions of these names in the place of the student's; every other name is the student's own again.

    ``get_worker_info`` says of the main process, too, that it is the only worker. This lasts as long as the check's process.
    """
    for namespace, name, right in _small_functions(notebook):
        theirs = _theirs.setdefault((id(namespace), name), namespace.get(name, _NOT_THERE))
        function = right if name in names else theirs
        if function is _NOT_THERE:
            namespace.pop(name, None)
        else:
            namespace[name] = function
    _in_place[:] = names


def _small_functions(notebook: Any) -> list[tuple[dict[str, Any], str, Any]]:
    """Right functions, each with its name and where the student's code looks it up."""

    def shards_of(paths: Any, reader: int, readers: int) -> list[Any]:
        return list(paths[reader::readers])

    def read_shard(path: Any) -> Iterator[tuple[str, Tensor]]:
        return _plain_reader(notebook, [path])

    def who_is_asking() -> Any:
        return get_worker_info() or SimpleNamespace(id=0, num_workers=1)

    own, torchs = vars(notebook), vars(torch.utils.data)
    return [
        (own, "shards_of", shards_of),
        (own, "read_shard", read_shard),
        (own, "get_worker_info", who_is_asking),
        (torchs, "get_worker_info", who_is_asking),
    ]


def _begin_worker(names: list[str], _number: int) -> None:
    """In a spawned worker, which has imported the notebook anew: put in place what was in place where it was started."""
    put_in_place(sys.modules["submission"], names)


def try_out(notebook: Any, shards: Shards, names: list[str], *, world_sizes: list[int]) -> list[list[Any] | None]:
    """Put functions in place, and read the shards by jobs of these sizes without workers: their samples (None: it raised)."""
    put_in_place(notebook, names)
    read_samples: list[list[Any] | None] = []
    with written(shards) as paths:
        for world_size in world_sizes:
            try:
                ranks = [notebook.ShardedTarDataset(paths, rank=rank, world_size=world_size) for rank in range(world_size)]
                read_samples.append([_owned(sample) for rank in ranks for sample in rank])
            except Exception:  # noqa: BLE001 - what it raises is said by the check that looks at that
                read_samples.append(None)
    return read_samples


def read_plainly(notebook: Any, shards: Shards, *, form: str = "str", others: bool = False) -> list[Any]:
    """What iterating over the data set itself gives, without a DataLoader."""
    with written(shards, others=others) as paths:
        return [_owned(sample) for sample in notebook.ShardedTarDataset([FORMS[form](path) for path in paths])]


def read_one(notebook: Any, shard: list[tuple[str, Tensor]], *, others: bool = False) -> list[Any]:
    """Read one shard by the student's ``read_shard``."""
    with written([shard], others=others) as (path,):
        return [_owned(sample) for sample in notebook.read_shard(path)]


def read_first(notebook: Any, shard: list[tuple[str, Tensor]], count: int) -> list[Any]:
    """So many samples of a shard whose last member is no array: whoever decodes it before it is asked for gets an error."""
    with tempfile.TemporaryDirectory(prefix="shard-") as folder:
        (path,) = _write(folder, [shard], others=False)
        with tarfile.open(path, "a") as tar:
            member = tarfile.TarInfo("last.npy")
            member.size = 512
            tar.addfile(member, io.BytesIO(bytes(512)))
        samples = iter(notebook.read_shard(path))
        return [_owned(next(samples)) for _ in range(count)]


def read(
    notebook: Any,
    shards: Shards,
    *,
    workers: int = 0,
    world_size: int = 1,
    epochs: int = 1,
    persistent: bool = False,
    abandon: int = 0,
) -> list[list[Any]]:
    """Read shards as a job of ``world_size`` ranks does, each with ``workers`` real workers: for each epoch its samples.

    Each rank reads all its epochs by one loader. ``abandon`` samples of an epoch before the first are taken and the rest left.
    """
    read_samples: list[list[Any]] = [[] for _ in range(epochs)]
    with written(shards) as paths:
        for rank in range(world_size):
            data = notebook.ShardedTarDataset(paths, rank=rank, world_size=world_size)
            loader = _loader(data, workers, persistent=persistent)
            if abandon:
                _take(iter(loader), abandon)
            for samples in read_samples:
                samples.extend(_owned(sample) for sample in _each(loader))
    return read_samples


def read_spawned(notebook: Any, shards: Shards, *, ranks: tuple[int, ...], world_size: int) -> list[Any]:
    """Read shards on these ranks of a job: the last of them by a worker that was started by spawn, the others without workers."""
    with written(shards) as paths:
        loaders = [
            _loader(
                notebook.ShardedTarDataset(paths, rank=rank, world_size=world_size),
                workers=int(rank == ranks[-1]),
                method="spawn",
            )
            for rank in ranks
        ]
        return [_owned(sample) for loader in loaders for sample in _each(loader)]


def count_by_reader(notebook: Any, shards: Shards, *, workers: int, world_size: int) -> dict[str, int]:
    """How many samples each worker of each rank gives in an epoch."""
    counts = {f"worker {worker} of rank {rank}": 0 for rank in range(world_size) for worker in range(workers)}
    with written(shards) as paths:
        for rank in range(world_size):
            data = notebook.ShardedTarDataset(paths, rank=rank, world_size=world_size)
            loader = DataLoader(
                data, batch_size=None, num_workers=workers, collate_fn=_reader, multiprocessing_context="fork", timeout=30
            )
            for worker in _each(loader):
                counts[f"worker {worker} of rank {rank}"] += 1
    return counts


def _reader(_sample: Any) -> int:
    """In a worker: its number, in place of the sample."""
    info = get_worker_info()
    assert info is not None  # there are workers
    return int(info.id)


def read_pinned(notebook: Any, shards: Shards, device: torch.device, *, workers: int) -> list[Tensor]:
    """Read shards by a loader that pins memory, and copy each sample's tensor to the device without waiting."""
    torch.zeros(1, device=device)  # as in training, the process uses the GPU before its workers start
    on_a_gpu = device.type == "cuda"
    with written(shards) as paths:
        context = "fork" if workers else None
        data = notebook.ShardedTarDataset(paths)
        loader = DataLoader(
            data,
            batch_size=None,
            num_workers=workers,
            pin_memory=on_a_gpu,
            multiprocessing_context=context,
            timeout=30 * bool(workers),
        )
        samples = []
        for sample in _each(loader):
            tensor = _tensor_of(sample)
            if on_a_gpu and not tensor.is_pinned():
                raise TypeError(f"the loader could not pin the memory of a sample on the device {tensor.device}")
            samples.append(tensor.to(device, non_blocking=True))
    if on_a_gpu:
        torch.cuda.synchronize(device)
    return samples


def _take(iterator: Iterator[Any], count: int) -> None:
    """Take so many samples, or as many as there are."""
    for _ in itertools.islice(iterator, count):
        pass


def read_shared(notebook: Any, shards: Shards, *, abandon: int) -> list[Any]:
    """All samples of an iterator that was made while an earlier one, read in part, is still there."""
    with written(shards) as paths:
        data = notebook.ShardedTarDataset(paths)
        earlier = iter(data)
        _take(earlier, abandon)
        return [_owned(sample) for sample in data]


def _loader(data: Any, workers: int, method: str = "fork", *, persistent: bool = False) -> DataLoader[Any]:
    if not workers:
        return DataLoader(data, batch_size=None)
    begin = functools.partial(_begin_worker, list(_in_place)) if method == "spawn" and _in_place else None
    return DataLoader(
        data,
        batch_size=None,
        num_workers=workers,
        persistent_workers=persistent,
        multiprocessing_context=method,
        timeout=30,
        worker_init_fn=begin,
    )


def _each(loader: DataLoader[Any]) -> Iterator[Any]:
    """What a loader gives. An error lets go of its iterator at once.

    torch 2.13 raises a worker's error so that it refers to itself, and with it to the iterator. Left to the collector, that one
    finds its queues ended before it, and waits 5 seconds for each worker.
    """
    try:
        yield from loader
    except Exception as error:
        traceback.clear_frames(error.__traceback__)
        raise


def _owned(sample: Any) -> Any:
    """A sample as data that the judge can read, without the shared memory that it came in, which holds an open file each.

    Of a part that is neither text nor a tensor the name of its type is left, and of an array its numbers.
    """
    return tuple(map(_owned_part, sample)) if isinstance(sample, list | tuple) else _owned_part(sample)


def _owned_part(part: Any) -> Any:
    if isinstance(part, Tensor):
        return part.clone()
    if isinstance(part, str):
        return part
    named: dict[str, Any] = {"type": type(part).__name__}
    return {**named, "tensor": torch.from_numpy(part.copy())} if isinstance(part, np.ndarray) else named


def read_broken(notebook: Any, shards: Shards, *, place: int, how: str, workers: int = 0) -> dict[str, Any]:
    """Read shards of which the one at ``place`` is ``missing``, ``empty``, or ``cut`` in the data of its last or first member.

    Returns what was raised, notes and causes included (None: nothing), and the broken shard's path.
    """
    with written(shards) as paths:
        _break(paths[place], how)
        given = [_by_a_detour(path) for path in paths]
        said = None
        try:
            for _ in _each(_loader(notebook.ShardedTarDataset(given), workers)):
                pass
        except Exception as error:  # noqa: BLE001 - any error is right, if it says which file
            said = "".join(traceback.format_exception(error))
    return {"error": said, "path": given[place]}


def _by_a_detour(path: str) -> str:
    """Another path of the same file: who makes it absolute and plain changes it."""
    folder = Path(path).parent
    return f"{folder}/../{folder.name}/{Path(path).name}"


def _break(path: str, how: str) -> None:
    if how == "missing":
        Path(path).unlink()
        return
    length = 0
    if how != "empty":
        with tarfile.open(path) as tar:
            member = tar.getmembers()[0 if how == "first cut" else -1]
            length = member.offset_data + member.size // 2
    os.truncate(path, length)


_kept: dict[str, Any] = {}
"""What a call leaves for the next one of the same check, while the judge looks at this process from outside."""


def keep_shards(_: Any, shards: Shards) -> list[str]:
    """Write shards that stay; their paths."""
    _kept["paths"] = _write(tempfile.mkdtemp(prefix="shards-"), shards, others=False)
    return list(_kept["paths"])


def make_data(notebook: Any) -> None:
    """Make a data set of the kept shards, and keep it."""
    _kept["data"] = notebook.ShardedTarDataset(_kept["paths"])
    gc.collect()


def read_data(_: Any, count: int | None) -> None:
    """Read so many samples of the kept data set, or all, and let go of its iterator."""
    iterator = iter(_kept["data"])
    _take(itertools.islice(iterator, count), sys.maxsize)
    del iterator
    gc.collect()


def keep_large(_: Any, base: Tensor, counts: list[int]) -> list[str]:
    """Write a shard for each of ``counts``, with so many members, each as large as ``base``; their paths."""
    folder = tempfile.mkdtemp(prefix="memory-")
    paths = [f"{folder}/{number}.tar" for number in range(len(counts))]
    # Another process writes, or what it freed would hide how much reading takes.
    writer = get_context("fork").Process(target=_write_large, args=(paths, base, counts))
    writer.start()
    writer.join()
    base.zero_()  # the student's code could find it in this function's callers
    return paths


def _write_large(paths: list[str], base: Tensor, counts: list[int]) -> None:
    for path, count in zip(paths, counts, strict=True):
        with tarfile.open(path, "w") as tar:
            for number in range(count):
                buffer = io.BytesIO()
                np.save(buffer, base.roll(-number).numpy())
                member = tarfile.TarInfo(f"{number}.npy")
                member.size = buffer.tell()
                buffer.seek(0)
                tar.addfile(member, buffer)


def _tensor_of(sample: Any) -> Tensor:
    """The tensor of a sample, in whichever place it stands: which that should be is looked at by one check alone."""
    parts = sample if isinstance(sample, list | tuple) else (sample,)
    return next(torch.as_tensor(part) for part in parts if isinstance(part, Tensor | np.ndarray))


def first_numbers(notebook: Any, path: str) -> list[float]:
    """Read one shard: each member's first number."""
    return [_tensor_of(sample)[0].item() for sample in notebook.ShardedTarDataset([path])]


def epoch(notebook: Any, archives: list[Tensor]) -> Tensor:
    """Write these archives, given as their bytes, and read an epoch of them by the student's class: the samples' tensors."""
    with _unpacked(archives) as paths:
        return torch.stack([_tensor_of(sample) for sample in notebook.ShardedTarDataset(paths)])


def plain_epoch(notebook: Any, archives: list[Tensor]) -> Tensor:
    """The same by a plain loop over the archives."""
    with _unpacked(archives) as paths:
        return torch.stack([_tensor_of(sample) for sample in _plain_reader(notebook, paths)])


@contextlib.contextmanager
def _unpacked(archives: list[Tensor]) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory(prefix="shards-") as folder:
        paths = [f"{folder}/{number}.tar" for number in range(len(archives))]
        for path, archive in zip(paths, archives, strict=True):
            Path(path).write_bytes(archive.numpy().tobytes())
        yield paths


def _plain_reader(notebook: Any, paths: list[str]) -> Iterator[tuple[str, Tensor]]:
    for path in paths:
        with tarfile.open(path) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                if file is not None:
                    yield member.name, notebook.decode(file.read())
