"""Looks at the memory that a submission takes while it is waited for, wherever nothing else limits it: on a GPU, and beside one.

GPU        what the driver says that the session's processes hold; seen from outside, whatever they say
machine    only if there is no control group: a process that uses CUDA cannot be held by a limit on its addresses
"""

from __future__ import annotations

from pathlib import Path

from torchgrade.checks.faults import Died
from torchgrade.jail.resources.process_tree import ProcessTree, leader_below
from torchgrade.jail.resources.room import CUDA_PAGES
from torchgrade.jail.worker import WarmWorker

LOOK_SECONDS = 0.25
_CONTEXT_BYTES = 1 << 30
"""A generous estimate of the GPU memory that CUDA and torch's kernels take before the first tensor."""


def look_at_memory(worker: WarmWorker, number: int) -> None:
    """Raise :class:`Died` if the session whose first process has the ``number`` in the worker's counting takes more than it may.

    Only a session that may use a GPU is looked at.
    """
    if worker.gpu_memory is None:
        return
    bounds = worker.bounds
    held = worker.gpu_memory.held()
    if sum(held.values()) > bounds.gpu_memory + _CONTEXT_BYTES:
        taken = sum(held.get(pid, 0) for pid in _members(worker, number))
        if taken > bounds.gpu_memory + _CONTEXT_BYTES:
            raise Died(f"Your code took {taken >> 20} MB of the GPU's memory: it may use {bounds.gpu_memory >> 20} MB.")
    if worker.group is None:
        first, *others = map(_resident, _members(worker, number))
        # The first one runs nothing: all that it has is the warm worker's, and every fork has as much of that.
        if sum(max(0, own - first) for own in others) > bounds.memory + CUDA_PAGES:
            raise Died(f"Your code ran out of memory: it may use {bounds.memory >> 20} MB.")


def _members(worker: WarmWorker, number: int) -> list[int]:
    first = leader_below(worker.pid, number) if worker.wall.isolates else number
    if first is None:
        worker.cut_off += 1
        raise Died("Your code's process is gone.")
    return ProcessTree(first, first=first).members()


def _resident(pid: int) -> int:
    """The bytes that a process has in the machine's memory, without files; what forks share is divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
