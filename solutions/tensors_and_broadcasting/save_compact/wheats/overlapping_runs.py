"""Only tensors whose spans overlap are kept together.

Why: two slices of one storage that do not overlap share no element, so nobody can tell whether they lie in one storage. The file gets
    smaller for it: what lies between them is left out as well.
"""

import dataclasses
import os

import torch
from torch import Tensor


@dataclasses.dataclass
class Run:
    start: int
    stop: int
    names: list[str]


def run_of(name: str, tensor: Tensor) -> Run:
    reach = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return Run(tensor.storage_offset(), tensor.storage_offset() + reach + 1, [name])


def merged(runs: list[Run]) -> list[Run]:
    result = []
    for run in sorted(runs, key=lambda run: run.start):
        if result and run.start < result[-1].stop:
            result[-1].stop = max(result[-1].stop, run.stop)
            result[-1].names += run.names
        else:
            result.append(run)
    return result


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    runs = {}
    compact = dict.fromkeys(tensors)
    for name, tensor in tensors.items():
        if tensor.numel() == 0:
            compact[name] = tensor.detach().clone()
        else:
            runs.setdefault(tensor.untyped_storage()._cdata, []).append(run_of(name, tensor))
    for of_storage in runs.values():
        for run in merged(of_storage):
            some = tensors[run.names[0]]
            copy = torch.as_strided(some, (run.stop - run.start,), (1,), run.start).clone()
            for name in run.names:
                old = tensors[name]
                compact[name] = copy.as_strided(old.shape, old.stride(), old.storage_offset() - run.start)
    torch.save(compact, path)
