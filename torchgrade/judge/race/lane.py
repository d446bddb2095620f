"""The quiet lane: one race at a time on a machine, from any of its processes, on a core of its own if there are enough.

    worker 1   checks ── race ══════ checks ──►          ══ holds the lock
    worker 2   checks ── checks ── (waits) race ══════►     a worker that does not race goes on

The lock is the kernel's, on an open file: if a process dies, however it dies, its lock is gone.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import lock_descriptor

from torchgrade.checks.declared import GraderError, UndecidedError

PATIENCE = 60.0
"""Seconds that a check waits for the lane. They are the machine's, not the submission's, so its own limit does not count them."""
CORES_TO_PIN = 4
"""With fewer cores than this, a race stays where the kernel puts it: being pinned would mean sharing."""
_LOOK_EVERY = 0.01


def lock_file(lane: str = "processor", folder: Path | None = None) -> Path:
    """The file that stands for a lane: ``processor``, or a device as in ``cuda:0``. One for each user: others may not open it."""
    name = "".join(character if character.isalnum() else "-" for character in lane)
    return (folder or Path(tempfile.gettempdir())) / f"torchgrade-{os.getuid()}-{name}.lock"


@contextlib.contextmanager
def quiet_lane(lane: str = "processor", *, patience: float = PATIENCE, folder: Path | None = None) -> Iterator[float]:
    """Hold the lane; gives the seconds that it took to get it.

    Raises :class:`UndecidedError` if it is not free within ``patience`` seconds, :class:`GraderError` if the file is not ours.
    """
    descriptor = _open(lock_file(lane, folder))
    try:
        started = time.monotonic()
        while not lock_descriptor(descriptor, blocking=False):
            if time.monotonic() - started >= patience:
                raise UndecidedError("other speed checks kept this machine busy for too long; this check will be run again")
            time.sleep(_LOOK_EVERY)
        yield time.monotonic() - started
    finally:
        os.close(descriptor)  # releases the lock


def _open(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise GraderError(f"the lock of speed checks cannot be opened: {path}: {error.strerror}; remove it") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        os.close(descriptor)
        raise GraderError(f"the lock of speed checks is not a file of ours alone: {path}; remove it")
    return descriptor


def core_to_race_on() -> int | None:
    """The core that races are pinned to: the last one that we may use, or ``None`` if there are too few."""
    cores = os.sched_getaffinity(0)
    return max(cores) if len(cores) >= CORES_TO_PIN else None
