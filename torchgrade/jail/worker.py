"""The judge's handle on a warm worker: start it behind its wall, ask it for sessions, end them.

judge ── control socket ──► warm worker (trusted; in the jail, in a control group)
  └──── keeper, notebook, output ──────► session: one submission
"""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.bounds import Bounds
from torchgrade.jail.data_folders import DataFolders
from torchgrade.jail.handles import Ends, Handles
from torchgrade.jail.resources.allocator import keep_freed_memory
from torchgrade.jail.resources.cgroup import ControlGroup
from torchgrade.jail.resources.gpu_memory import GpuMemory
from torchgrade.jail.resources.room import Room
from torchgrade.jail.wall import View, Wall
from torchgrade.jail.wall_choice import choose_wall
from torchgrade.jail.warm_process import WarmProcess

if TYPE_CHECKING:
    from torchgrade.notebook import DataFiles


class WarmWorker:
    """A process that has imported torch and forks sessions. Each judge has one, which lives as long as the judge.

    Making one starts it and does not wait: its imports and the judge's own then run side by side. With a GPU in its ``view``, its
    sessions may use that GPU. The worker itself never does, since a process that has set up CUDA cannot be forked. ``wall`` is
    the one from :func:`choose_wall` if none is named; ``program`` is the module that runs behind it, with its arguments.
    """

    def __init__(
        self,
        bounds: Bounds | None = None,
        *,
        wall: Wall | None = None,
        view: View | None = None,
        program: Sequence[str] = ("torchgrade.jail.inside.warm",),
    ) -> None:
        keep_freed_memory()
        view = view or View()
        self.wall, self.gpu = wall or choose_wall(), view.gpu
        self.bounds = bounds or Bounds()
        if self.gpu is not None:
            # CUDA reserves addresses for all memory of host and device, far more than it uses, so a limit on addresses ends it.
            self.bounds = dataclasses.replace(self.bounds, address_space=False)
        self.gpu_memory = GpuMemory(self.gpu) if self.gpu is not None else None
        self.gpu_hung_at = float("-inf")
        """When an empty submission last waited for its GPU in vain, by the monotonic clock."""
        self.cut_off = 0
        """How many processes of submissions ended as all processes in a lost jail do: by SIGKILL, or in an unknown way."""
        self._process = WarmProcess(self.wall, program, view)
        self._is_ready = False
        self._open_sessions = 0
        self._imported: set[str] = set()
        self._scratch = None if self.wall.isolates else tempfile.TemporaryDirectory(prefix="tg-")
        self._room = Room(self.group, self.bounds, cuda=self.gpu is not None)
        self._data = DataFolders(self._process, self._room, "/tmp" if self._scratch is None else self._scratch.name)  # noqa: S108

    @property
    def group(self) -> ControlGroup | None:
        """The control group that limits the worker and its sessions together, if there is one."""
        return self._process.group

    def wait_until_ready(self) -> None:
        """Wait until torch is imported behind the wall, as the first session does. Raises :class:`SandboxError` if that fails."""
        if not self._is_ready:
            self._process.wait_until_ready()
            self._is_ready = True
            self._room.measure()

    def start_session(self, data: DataFiles | None = None, modules: Collection[str] = ()) -> Handles:
        """Fork the warm worker into new namespaces, where the fork waits for its program; ``data`` is put where that will run.

        The session has ``modules`` imported, and so do all sessions that come after it.
        Raises :class:`SandboxError`, and ``NotebookError`` if a file of ``data`` has changed in the meantime.
        """
        self.wait_until_ready()
        self._import(modules)
        folder = None if self._scratch is None else Path(tempfile.mkdtemp(dir=self._scratch.name))
        place = folder or Path("/tmp")  # noqa: S108 - the jail's own
        request = {
            "do": "start",
            "limits": self.bounds.for_session(),
            "jailed": self.wall.isolates,
            "keep": self._process.keep,
            "folder": str(place),
            "work": str(place / "notebook"),
            "data": self._data.folder_for(data, instead=not self._open_sessions),
        }
        self._room.make(self._open_sessions + 1, data=self._data.size)
        with Ends() as ends:
            answer = self._process.ask("start a session", request, ends.theirs)
            if "pid" not in answer:
                raise SandboxError(f"a session did not start: {answer.get('error', 'no reason given')}")
        self._open_sessions += 1
        return ends.handles(answer["pid"], folder)

    def _import(self, modules: Collection[str]) -> None:
        if missing := sorted(set(modules) - self._imported):
            before = self.group.memory() if self.group is not None else 0
            self._process.ask("import " + ", ".join(missing), {"do": "import", "modules": missing})
            self._imported.update(missing)
            self._room.widen(self.group.memory() - before if self.group is not None else 0)

    def end_session(self, handles: Handles) -> None:
        """End every process of the session, and return once all are gone."""
        handles.keeper.close()
        handles.notebook.close()
        self._open_sessions -= 1
        self._process.ask("end a session", {"do": "end", "pid": handles.pid})
        if handles.folder is not None:
            shutil.rmtree(handles.folder, ignore_errors=True)

    @property
    def is_alive(self) -> bool:
        """True while the jail runs; one that was ended from outside should be closed, and another one made."""
        return self._process.is_alive

    @property
    def pid(self) -> int:
        """The number of the process that leads the jail."""
        return self._process.pid

    def close(self) -> None:
        """End the worker and everything in its jail."""
        self._process.close()
        if self._scratch is not None:
            self._scratch.cleanup()
        if self.gpu_memory is not None:
            self.gpu_memory.close()
