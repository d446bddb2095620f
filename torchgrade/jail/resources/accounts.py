"""Control groups that only count: the processor time or the peak memory of some processes, from a certain moment on.

The groups that limit a jail are in :mod:`torchgrade.jail.resources.cgroup`. These ones are made beside or below them for the
length of a measurement, and the processes are put back afterwards. Version 1 counts both. Version 2 counts processor time in any
group, but memory only if the group above hands the controller down, which a group that holds processes cannot do.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from torchgrade.jail.resources.cgroup import ControlGroup, group_folder

_MOST_PASSES = 20
_counter = itertools.count()


class Account:
    """A group below ``folder`` whose file ``counter`` is read; ``unit`` is what one of its counts is worth."""

    def __init__(self, folder: Path, counter: str, *, key: str = "", unit: float = 1.0) -> None:
        self._folder, self._key, self._unit = folder, key, unit
        self._descriptor = os.open(folder / counter, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def folder(self) -> Path:
        """Where the kernel shows the group."""
        return self._folder

    def move(self, members: Callable[[], Iterable[int]]) -> bool:
        """Put processes into the group until none is outside; whatever they start later is in it from its birth."""
        moved: set[int] = set()
        for _ in range(_MOST_PASSES):
            new = [pid for pid in members() if pid not in moved]
            if not new:
                return True
            for pid in new:
                try:
                    _write(self._folder / "cgroup.procs", str(pid))
                except ProcessLookupError:
                    pass  # it has ended in the meantime
                except OSError:
                    return False
                moved.add(pid)
        return False  # it starts processes faster than they can be counted

    def read(self) -> float:
        """The counter, in units of ``unit``."""
        text = os.pread(self._descriptor, 4096, 0).decode("ascii")
        if self._key:
            found = [line.split()[1] for line in text.splitlines() if line.split()[:1] == [self._key]]
            text = found[0] if found else "0"
        return int(text) * self._unit

    def close(self) -> None:
        """Put the processes back into the group above, and remove this one."""
        os.close(self._descriptor)
        with contextlib.suppress(OSError):
            for _ in range(_MOST_PASSES):
                left = (self._folder / "cgroup.procs").read_text(encoding="ascii").split()
                if not left:
                    break
                for pid in left:
                    with contextlib.suppress(ProcessLookupError):
                        _write(self._folder.parent / "cgroup.procs", pid)
        with contextlib.suppress(OSError):
            self._folder.rmdir()


def processor_account(group: ControlGroup | None) -> Account | None:
    """A group that counts processor seconds, or ``None`` if this machine does not let us make one."""
    above = group_folder("cpuacct")
    if above is not None and (above / "cpuacct.usage").exists():
        return _make(above, "cpuacct.usage", unit=1e-9)
    below = group.folder("memory") if group is not None else None
    if below is not None and (below / "cpu.stat").exists():  # version 2: the jail's own group
        return _make(below, "cpu.stat", key="usage_usec", unit=1e-6)
    return None


def memory_account(group: ControlGroup | None) -> Account | None:
    """A group that counts the peak of memory in bytes, or ``None`` if this machine does not let us make one."""
    above = group.folder("memory") if group is not None else None
    if above is None or not (above / "memory.max_usage_in_bytes").exists():
        return None
    return _make(above, "memory.max_usage_in_bytes")


def _make(above: Path, counter: str, *, key: str = "", unit: float = 1.0) -> Account | None:
    folder = above / f"torchgrade-{os.getpid()}-count{next(_counter)}"
    try:
        folder.mkdir()
        return Account(folder, counter, key=key, unit=unit)
    except OSError:
        with contextlib.suppress(OSError):
            folder.rmdir()
        return None


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="ascii") as file:
        file.write(text)
