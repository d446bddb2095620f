"""A control group around one warm worker and its sessions: limits on memory and processes of the whole tree.

Version 1 or version 2 of the kernel's interface is used, whichever lets us make a group. If neither does (an ordinary user
without delegation), there is no group; what remains are the limits of each process, and ``torchgrade doctor`` says so.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_CLOSING_SECONDS = 2.0
_counter = itertools.count()


class ControlGroup:
    """One group, made empty; ``close`` removes it once its processes are gone."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders  # by controller; in version 2, the same folder for all

    @property
    def procs_files(self) -> list[str]:
        """The files into which a process writes its number in order to join."""
        return [str(folder / "cgroup.procs") for folder in dict.fromkeys(self._folders.values())]

    def folder(self, controller: str) -> Path | None:
        """Where the kernel shows the group under this controller, if the group counts there."""
        return self._folders.get(controller)

    def limit(self, *, memory: int, processes: int) -> None:
        """Bound memory in bytes (swap included where the kernel counts it) and the number of processes and threads."""
        folder = self._folders["memory"]
        if (folder / "memory.max").exists():
            (folder / "memory.max").write_text(str(memory))
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
        else:
            # Version 1 refuses a limit above the one with swap: lift that one first, in case this is a second call.
            with contextlib.suppress(OSError):
                (folder / "memory.memsw.limit_in_bytes").write_text("-1")
            (folder / "memory.limit_in_bytes").write_text(str(memory))
            with contextlib.suppress(OSError):
                (folder / "memory.memsw.limit_in_bytes").write_text(str(memory))
        if (pids := self._folders.get("pids")) is not None:
            (pids / "pids.max").write_text(str(processes))

    def memory(self) -> int:
        """The bytes in use now that the kernel could not take back: pages of files, which it can take back, are left out."""
        lines = (self._folders["memory"] / "memory.stat").read_text().splitlines()
        counts = dict(line.split()[:2] for line in lines)
        # Version 1 says rss where version 2 says anon, and counts the kernel's own memory apart.
        return sum(int(counts.get(key, 0)) for key in ("rss", "anon", "shmem", "kernel"))

    def times_out_of_memory(self) -> int:
        """How many processes of the group the kernel has ended for lack of memory."""
        folder = self._folders["memory"]
        for name in ("memory.events", "memory.oom_control"):
            if (folder / name).exists():
                for line in (folder / name).read_text().splitlines():
                    key, _, value = line.partition(" ")
                    if key == "oom_kill":
                        return int(value)
        return 0

    def close(self) -> None:
        """Remove the group, once the processes that were killed in it are gone; if one outlives them, it stays."""
        deadline = time.monotonic() + _CLOSING_SECONDS
        for folder in dict.fromkeys(self._folders.values()):
            while True:
                try:
                    folder.rmdir()
                except OSError as error:
                    if error.errno == errno.EBUSY and time.monotonic() < deadline:
                        time.sleep(0.005)
                        continue
                break


def group_folder(controller: str) -> Path | None:
    """The folder of this process's own group under a controller of version 1; what killed judges left in it is removed."""
    own = _own_path(controller)
    if own is None or not (_ROOT / controller / own).is_dir():
        return None
    _remove_left_over(_ROOT / controller / own)
    return _ROOT / controller / own


def make_group() -> ControlGroup | None:
    """A new control group, or ``None`` if this machine does not let us have one."""
    name = f"torchgrade-{os.getpid()}-{next(_counter)}"
    return _version_1(name) or _version_2(name)


def _version_1(name: str) -> ControlGroup | None:
    made: dict[str, Path] = {}
    for controller in ("memory", "pids"):
        own = _own_path(controller)
        if own is None:
            continue
        folder = _ROOT / controller / own / name
        _remove_left_over(folder.parent)
        try:
            folder.mkdir()
        except OSError:
            continue
        made[controller] = folder
    return ControlGroup(made) if "memory" in made else None


def _version_2(name: str) -> ControlGroup | None:
    own = _own_path("")
    if own is None or not (_ROOT / "cgroup.controllers").exists():
        return None
    # A group that holds processes cannot hand controllers to groups below it: try beside our own, then below it.
    for parent in (_ROOT / own).parent, _ROOT / own:
        folder = parent / name
        _remove_left_over(parent)
        try:
            if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
                (parent / "cgroup.subtree_control").write_text("+memory +pids")
            folder.mkdir()
        except OSError:
            continue
        if (folder / "memory.max").exists():
            return ControlGroup({"memory": folder, "pids": folder})
        with contextlib.suppress(OSError):
            folder.rmdir()
    return None


def _remove_left_over(parent: Path) -> None:
    """Remove the groups of judges that were killed; one that still holds a process cannot be removed, and stays."""
    for folder in parent.glob("torchgrade-*-*"):
        pid = folder.name.split("-")[1]
        if not Path("/proc", pid).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _own_path(controller: str) -> str | None:
    """The group of this process below the controller's mount; an empty name means version 2."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path.lstrip("/")
    return None
