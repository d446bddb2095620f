"""A session's processes as the judge sees them from outside: which ones exist, their processor time, their memory, their core.

    judge ── /proc, control groups ──►  keeper ─ home ─ check ─ whatever the student's code started

Nothing here asks the processes themselves. Processor time is that of the whole tree, including processes that have ended: by a
control group if the machine lets us make one, otherwise as the sum over ``/proc``, which no longer contains a child that has
ended if its parent never waited for it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Self

from torchgrade.checks.faults import Died
from torchgrade.jail.resources.accounts import Account, processor_account
from torchgrade.jail.resources.cgroup import ControlGroup

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_WORKER_PRIORITY = 1  # the judge's own is above it
_GONE = "Your code's process is gone."


class ProcessTree:
    """The processes of one session. ``peer`` is the process that answers; ``first`` is the one that leads them, if it is known.

    Use it as a context manager, or call :meth:`close`: after that, processes are counted as before.
    """

    def __init__(self, peer: int, *, first: int | None = None, group: ControlGroup | None = None) -> None:
        self.peer, self._group = peer, group
        self._first = first if first is not None else _leader(peer)
        self._account: Account | None = None
        self._pinned: set[int] | None = None
        self._preferred = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def group(self) -> ControlGroup | None:
        """The control group of the jail, if there is one."""
        return self._group

    def members(self) -> list[int]:
        """Every process of the session, the leading one first. Raises :class:`Died` if there is none."""
        found, queue = [], [self._first]
        while queue:
            pid = queue.pop()
            if (children := _children(pid)) is not None:
                found.append(pid)
                queue.extend(children)
        if not found:
            raise Died(_GONE)
        return found

    def busy(self) -> bool:
        """Return whether any thread of the session runs or is ready to: a process that waits for a question is neither."""
        return any(_runs(pid) for pid in self.members()[1:])

    def open_files(self) -> list[str]:
        """The paths that the processes hold open, as they name them; a path comes once for each process that has it open."""
        found = []
        for pid in self.members():
            with contextlib.suppress(OSError):
                for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                    with contextlib.suppress(FileNotFoundError):
                        found.append(str(descriptor.readlink()))
        return found

    # ---- processor time

    def account(self) -> bool:
        """From now on, have the kernel add up the tree's processor time in a group of its own; return whether it can."""
        if self._account is None and (account := processor_account(self._group)) is not None:
            self._account = account
            if not account.move(lambda: self.members()[1:]):
                account.close()
                self._account = None
        return self._account is not None

    def processor_seconds(self) -> float:
        """Processor time that the tree has used, over all processes and threads. Only differences mean anything."""
        if self._account is not None:
            return self._account.read()
        total = 0.0
        for pid in self.members():
            # The kernel's CPU clock of another process (include/linux/posix-timers.h): number in the upper bits, 2 for
            # "scheduled".
            with contextlib.suppress(OSError):
                total += time.clock_gettime((~pid << 3) | 2)
        return total

    def reaped_seconds(self) -> float:
        """Processor time of processes that have ended and that :meth:`processor_seconds` leaves out; accurate to 10 ms."""
        if self._account is not None:
            return 0.0
        return sum(_waited_for(pid) for pid in self.members())

    # ---- the core that it runs on, and its priority

    def pin(self, core: int) -> None:
        """Have the answering process run on this core alone."""
        with contextlib.suppress(OSError):
            before = os.sched_getaffinity(self.peer)
            os.sched_setaffinity(self.peer, {core})
            self._pinned = before

    def prefer(self) -> bool:
        """Run the answering process, but not what it starts, before ordinary processes; return whether that is allowed here."""
        self._preferred = self._preferred or prefer(self.peer, _WORKER_PRIORITY)
        return self._preferred

    def close(self) -> None:
        """Undo what was set: the core, the priority, the group."""
        if self._preferred:
            as_usual(self.peer)
            self._preferred = False
        if self._pinned is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.peer, self._pinned)
            self._pinned = None
        if self._account is not None:
            self._account.close()
            self._account = None


def prefer(task: int = 0, priority: int = 2) -> bool:
    """Run a thread (0: this one) before ordinary ones, as "real time" (sched(7)); return whether that is allowed here.

    Whatever it starts is ordinary again. The kernel keeps a twentieth of each second for the others.
    """
    try:
        os.sched_setscheduler(task, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
    except OSError:
        return False
    return True


def as_usual(task: int = 0) -> None:
    """Undo :func:`prefer`."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(task, os.SCHED_OTHER, os.sched_param(0))


def leader_below(pid: int, number: int) -> int | None:
    """The first process of a session whose number is known only in the jail that ``pid`` leads; ``None`` if it is gone."""
    queue = [pid]
    while queue:
        pid = queue.pop()
        with contextlib.suppress(Died):
            if _status(pid).get("NSpid", "").split()[-2:] == [str(number), "1"]:
                return pid
        queue.extend(_children(pid) or ())
    return None


def _leader(peer: int) -> int:
    """The first process of the namespace that ``peer`` lives in: the nearest one above it that has the number 1 there."""
    pid = peer
    while pid > 1:
        status = _status(pid)
        numbers = status.get("NSpid", "").split()
        if len(numbers) > 1 and numbers[-1] == "1":
            return pid
        pid = int(status.get("PPid", "0"))
    return peer


def _status(pid: int) -> dict[str, str]:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Died(_GONE) from error
    return {key: value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}


def _children(pid: int) -> list[int] | None:
    """The children of every thread of a process; ``None`` if it is gone."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                text = (thread / "children").read_text(encoding="ascii")
                found.extend(map(int, text.split()))
    except (FileNotFoundError, ProcessLookupError):
        return None
    return found


def _runs(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                text = (thread / "stat").read_text(encoding="utf-8", errors="replace")
                if text.rpartition(")")[2].split()[:1] == ["R"]:
                    return True
    return False


def _waited_for(pid: int) -> float:
    """Processor seconds of a process's ended children, and of their children."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) * _TICK  # cutime and cstime, proc(5)
