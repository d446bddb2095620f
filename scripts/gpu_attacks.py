"""Hostile submissions that go for a GPU, one after another, and what is left of them on the machine.

Each is a right ``batch_gather`` until its inputs are on the device; with ``--device cpu`` that is at once, and the families are
those of a processor. What they cost must be their own check alone, and after the last no process and no memory may be left.
"""

from __future__ import annotations

import copy
import dataclasses
import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from torchgrade.course import Course
from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook

ASSIGNMENT, EXERCISE = "vectorization", "batch_gather"
HONEST_EVERY = 10
SPARE_BYTES = 64 << 20
"""So much less free memory on the device than before is no leftover: what the judge's own process holds varies by less."""

_AROUND = """
import os, subprocess, sys, time
import torch

_kept = []


def attack(values, indices):
{attack}


def batch_gather(values, indices):
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    if values.device.type == {device!r}:
        attack(values, indices)
    return values[rows, indices]
"""
_ON_ANY = {
    "exhausts the memory": "    while True:\n        _kept.append(torch.ones(1 << 26, device=values.device))",
    "writes where it may not": (
        "    storage = torch._C._construct_storage_from_data_pointer(0x10000, values.device, 1 << 20)\n"
        "    torch.empty(0, device=values.device).set_(storage, 0, (1 << 18,)).fill_(1)\n"
        "    torch.cuda.synchronize() if values.is_cuda else None"
    ),
    "leaves memory and a process": (
        "    _kept.append(torch.ones(1 << 22, device=values.device))\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    ),
}
_ON_CUDA = {
    "hangs a kernel": "    torch.cuda._sleep(1 << 50)\n    torch.cuda.synchronize()",
    "fails an assertion on the device": "    values[:, torch.full_like(indices, 1 << 40)].sum().item()",
}
_ON_CPU = {"hangs": "    while True:\n        pass", "aborts": "    os.abort()"}
PASSES = {"leaves memory and a process"}
"""Those whose answers are right: what they leave behind is not the check's business."""


def attacks(device: torch.device) -> dict[str, str]:
    """The text of a solution cell for each family."""
    bodies = {**_ON_ANY, **(_ON_CUDA if device.type == "cuda" else _ON_CPU)}
    return {name: _AROUND.format(attack=body, device=device.type) for name, body in bodies.items()}


class TimeIsUp(Exception):
    """A part was cut short."""


def in_a_row(course: Course, device: torch.device, count: int, enough: Callable[[], bool]) -> Iterator[dict[str, Any]]:
    """Grade ``count`` hostile submissions; gives what became of each, and at last of the machine.

    Raises :class:`TimeIsUp` when it is ``enough``.
    """
    hasty = copy.deepcopy(course.config)
    hasty.Limits.call_seconds = 3.0
    course = dataclasses.replace(course, config=hasty)
    on_cuda = device.type == "cuda"
    asked = ("test_values", "test_on_a_gpu") if on_cuda else ("test_values",)
    honest = (course.solutions / ASSIGNMENT / EXERCISE / "reference.py").read_text(encoding="utf-8")
    texts, before = attacks(device), _descendants(os.getpid())
    with tempfile.TemporaryDirectory() as folder, Judge(course) as judge:
        grade = _Grading(judge, Path(folder) / "hostile.ipynb", asked)
        yield _told("honest", grade(honest), "passed")
        free = _free_bytes(device)
        for number in range(count):
            if enough():
                raise TimeIsUp
            name = list(texts)[number % len(texts)]
            yield _told(name, grade(texts[name]), "passed" if name in PASSES else "failed")
            if (number + 1) % HONEST_EVERY == 0 or number + 1 == count:
                yield _told("honest", grade(honest), "passed")
        lost = free - _free_bytes(device)
    left = _descendants(os.getpid()).keys() - before.keys()
    yield {
        "what": "left behind",
        "held": lost <= SPARE_BYTES and not left,
        "said": f"{lost / 2**20:.0f} MiB of the device's memory and {len(left)} processes, after {count} hostile submissions",
    }


class _Grading:
    """Outcomes and messages of the checks that are asked, by name."""

    def __init__(self, judge: Judge, path: Path, asked: tuple[str, ...]) -> None:
        self._judge, self._path, self._asked = judge, path, asked
        self._source = load_assignment(judge.course.assignments, ASSIGNMENT)

    def __call__(self, text: str) -> dict[str, tuple[str, str]]:
        write_notebook(compose(self._source, {EXERCISE: text}), self._path)
        record = self._judge.grade(ASSIGNMENT, "mallory", self._path, checks=self._asked)
        return {check.name: (check.outcome.value, check.message) for check in record.checks if check.name in self._asked}


def _told(name: str, ended: dict[str, tuple[str, str]], expected: str) -> dict[str, Any]:
    """Whether the check that is attacked, the last one, ended as expected, and those before it passed."""
    *before, last = ended.values()
    held = last[0] == expected and all(outcome == "passed" for outcome, _ in before)
    return {
        "what": name,
        "held": held,
        "said": "; ".join(f"{check}: {said[0]} {said[1]}".strip() for check, said in ended.items()),
    }


def _free_bytes(device: torch.device) -> int:
    if device.type != "cuda":
        return 0
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.synchronize(device)
    time.sleep(1.0)  # the driver takes a moment to clear up after a process that was killed
    return int(torch.cuda.mem_get_info(device)[0])


def _descendants(pid: int) -> dict[int, str]:
    """The processes below this one that are still running, by number, with their commands."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = status.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if state not in "ZX":
            parents.setdefault(int(parent), []).append((int(status.parent.name), head.partition("(")[2]))
    found: dict[int, str] = {}
    queue = [pid]
    while queue:
        for child, command in parents.get(queue.pop(), ()):
            found[child] = command
            queue.append(child)
    return found
