"""The processes of a run, as /proc shows them: the command, its judges, their jails, the warm worker and what it forked."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def children(parent: int) -> list[int]:
    """The processes whose parent this is, at this moment."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if int(Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def descendants(of: int) -> Iterator[int]:
    """All processes below this one."""
    for child in children(of):
        yield child
        yield from descendants(child)


def command(pid: int) -> bytes:
    """Its command line; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def judges(run: int) -> list[int]:
    """The judges of a run: forks of its fork server, by their command."""
    servers = [pid for pid in children(run) if b"multiprocessing.forkserver" in command(pid)]
    return [pid for server in servers for pid in children(server) if command(pid) == command(server)]


def parts(run: int) -> dict[str, list[int]]:
    """The processes of a run by what they are: a judge, a jail (bubblewrap), a warm worker, and the forks of that."""
    found: dict[str, list[int]] = {"judge": judges(run), "jail": [], "warm worker": [], "fork": []}
    for judge in found["judge"]:
        for pid in descendants(judge):
            text = command(pid)
            if text.partition(b"\0")[0].endswith(b"bwrap"):
                found["jail"].append(pid)
            elif text:
                above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                found["warm worker" if command(above).partition(b"\0")[0].endswith(b"bwrap") else "fork"].append(pid)
    return found


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Until this is true; an error where it does not come to that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


def wait_until_gone(session: int) -> None:
    """Until no process of the killed run's session is left: judges end with their parent, jails with their judge."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        left = []
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                try:
                    if os.getsid(int(entry.name)) == session and b"python" in command(int(entry.name)):
                        left.append(int(entry.name))
                except ProcessLookupError:
                    continue
        if not left:
            return
        time.sleep(0.05)
    raise AssertionError(f"processes left: {left}")
