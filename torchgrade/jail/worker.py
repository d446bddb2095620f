"""The judge's handle on a warm worker: start it in its jail, ask it for sessions, end them.

judge ── control socket ──► warm worker (trusted; in the jail, in a control group)
  └──── keeper, home, output ──────► session: one submission
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.bubblewrap import bound_below, jailed, missing
from torchgrade.jail.resources.cgroup import ControlGroup, make_group
from torchgrade.jail.resources.gpu import Gpu
from torchgrade.jail.resources.gpu_memory import GpuMemory

if TYPE_CHECKING:
    from torchgrade.notebook import DataFiles

_START_SECONDS = 120.0
_ANSWER_SECONDS = 30.0
_COPIED_PAGES = 256 << 20
CUDA_PAGES = 2 << 30
"""A generous estimate of what CUDA and its libraries keep for themselves of a process's own memory."""
# Joins the control groups named before "--", then becomes the rest of its arguments: no moment outside the group.
JOIN_GROUPS = 'while [ "$1" != "--" ]; do echo $$ > "$1" || exit 1; shift; done; shift; exec "$@"'


def _keep_freed_memory() -> None:
    """Have this process's allocator keep freed memory up to 256 MB instead of handing it back to the kernel at once.

    A megabyte of fresh pages costs more than all else about a call of that size (2.4 ms a call without this, 1.0 ms with it). The
    jail's environment says the same to the worker. Parameters: mallopt(3); another C library than glibc ignores them.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for parameter, value in (
            (-3, 32 << 20),
            (-1, 256 << 20),
            (-2, 16 << 20),
        ):  # mmap threshold, trim threshold, top pad
            libc.mallopt(parameter, value)


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of one submission, in seconds, bytes and numbers."""

    call_seconds: float = 10.0
    cells_seconds: float = 10.0
    memory: int = 1 << 30
    scratch: int = 64 << 20
    processes: int = 64
    open_files: int = 256
    output: int = 256 << 10
    answer: int = 256 << 20
    cpu_seconds: float = 600.0
    gpu_memory: int = 4 << 30
    address_space: bool = True

    def for_session(self) -> dict[str, Any]:
        """Return what the session applies to itself before a cell runs."""
        return {
            "memory": self.memory,
            "scratch": self.scratch,
            "processes": self.processes,
            "open_files": self.open_files,
            "cpu_seconds": self.cpu_seconds,
            "address_space": self.address_space,
            "file_size": max(self.scratch, self.answer),
        }


@dataclasses.dataclass(frozen=True, slots=True)
class Handles:
    """A started session as the judge holds it."""

    pid: int
    keeper: socket.socket
    home: socket.socket
    output: int
    folder: Path | None = None
    """The folder that the session writes to, where it has no jail whose end is that of its files."""

    def ask_keeper(self, what: str) -> dict[str, Any]:
        """Return what the session's keeper answers; :class:`SandboxError` if it is gone, or could not set the session up."""
        try:
            self.keeper.send(json.dumps({"do": what}).encode())
            packet = self.keeper.recv(65_536)
        except OSError as error:
            raise SandboxError("the session's keeper is gone") from error
        if not packet:
            raise SandboxError("the session's keeper ended")
        answer: dict[str, Any] = json.loads(packet)
        if "error" in answer:
            raise SandboxError(f"the session could not be set up: {answer['error']}")
        return answer

    def home_status(self) -> int | None:
        """How the process in which the cells ran has ended; ``None`` if it has not, or if nobody is left to tell."""
        for _ in range(20):
            try:
                status = self.ask_keeper("look").get("home")
            except (SandboxError, KeyError):
                return None
            if isinstance(status, int):
                return status
            time.sleep(0.01)
        return None


class _Unpacked(NamedTuple):
    """Data files that the warm worker has: in which folder, and how many bytes of its memory they take."""

    folder: str
    size: int


class WarmWorker:
    """A process that has torch imported, and forks sessions. One a judge; it lives as long as the judge.

    Making one starts it and does not wait: its imports and the judge's own then run side by side. With a ``gpu`` its sessions
    may use that one. Itself it never does: a process that has set up CUDA cannot be forked.
    """

    def __init__(
        self,
        bounds: Bounds | None = None,
        *,
        jail: bool = True,
        hide: Path | Iterable[Path] | None = None,
        gpu: Gpu | None = None,
    ) -> None:
        _keep_freed_memory()
        self.bounds = bounds or Bounds()
        if gpu is not None:
            # CUDA reserves addresses for all memory of host and device, far more than it uses: a limit on them ends it.
            self.bounds = dataclasses.replace(self.bounds, address_space=False)
        self.jail, self.gpu = jail, gpu
        self.gpu_memory = GpuMemory(gpu) if gpu is not None else None
        self.gpu_hung_at = float("-inf")
        """When an empty submission has waited for its GPU in vain, by the monotonic clock."""
        self.cut_off = 0
        """How many processes of submissions ended as all do that are in a jail which is lost: by SIGKILL, or nobody knows how."""
        self.group: ControlGroup | None = None
        self._open_sessions = self._memory = self._room = 0
        self._keep: list[str] = []
        self._data: dict[str, _Unpacked] = {}
        self._numbers = itertools.count(1)
        self._outside: tempfile.TemporaryDirectory[str] | None = None if jail else tempfile.TemporaryDirectory(prefix="tg-")
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        try:
            self._process = self._start(theirs, [hide] if isinstance(hide, Path) else list(hide or ()))
        except BaseException:
            self._control.close()
            self._errors.close()
            raise
        finally:
            theirs.close()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Until torch is imported in the jail; the first session waits by itself. Raises :class:`SandboxError` if that fails."""
        if self._ready:
            return
        first = self._reply("start")
        if "ready" not in first:
            raise SandboxError(f"the warm worker did not start: {first.get('error', 'no reason given')}")
        self._ready = True
        self._control.settimeout(_ANSWER_SECONDS)
        if self.group is not None:
            # Room for the warm worker, and for the pages of it that keeper, home and check each copy as they touch them: a
            # submission that takes too much is then stopped by its own process's limit first, with an error it can read.
            self._memory = self.group.memory() + self.bounds.memory + 2 * self.bounds.scratch + _COPIED_PAGES
            self._make_room(1)

    def _make_room(self, sessions: int) -> None:
        """Bound the group's memory and processes. With a GPU, CUDA keeps pages of its own in each session: a race has several.

        Room that was made stays: a race's sessions live as long as the judge does, and a limit cannot be put below what is used.
        """
        room = (
            self._memory + sum(data.size for data in self._data.values()) + (CUDA_PAGES * sessions if self.gpu is not None else 0)
        )
        if self.group is not None and room > self._room:
            self._room = room
            self.group.limit(memory=room, processes=self.bounds.processes + 8)

    def _start(self, theirs: socket.socket, hide: list[Path]) -> subprocess.Popen[bytes]:
        module = ["-m", "torchgrade.jail.inside.warm", str(theirs.fileno())]
        environment = None
        if self.jail:
            if (why := missing()) is not None:
                raise SandboxError(why)
            command = jailed(module, hide=hide, gpu=self.gpu)
            self._keep = bound_below(command, "/tmp")  # noqa: S108
            self.group = make_group()
            if self.group is not None:
                command = ["/bin/sh", "-c", JOIN_GROUPS, "sh", *self.group.procs_files, "--", *command]
        else:
            command = [sys.executable, "-s", "-P", *module]
            environment = {
                "PATH": os.environ.get("PATH", ""),
                "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_NUM_THREADS": "1",
                "MPLBACKEND": "Agg",
                "LANG": "C.UTF-8",
                **(self.gpu.environment if self.gpu is not None else {}),
                "CUDA_VISIBLE_DEVICES": self.gpu.name if self.gpu is not None else "",
            }
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._errors,
            stderr=self._errors,
            pass_fds=(theirs.fileno(),),
            env=environment,
            start_new_session=True,  # Ctrl-C is the judge's to handle
        )

    def start_session(self, data: DataFiles | None = None) -> Handles:
        """A fork of the warm worker in namespaces of its own, waiting for its program; ``data`` lies where that will run.

        Raises :class:`SandboxError`, and ``NotebookError`` where a file of ``data`` changed in the meantime.
        """
        self.wait_until_ready()
        folder = Path("/tmp" if self._outside is None else tempfile.mkdtemp(dir=self._outside.name))  # noqa: S108 - the jail's own
        places = {"folder": str(folder), "work": str(folder / "notebook"), "data": self._unpack(data)}
        self._make_room(self._open_sessions + 1)
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
        read, write = os.pipe()
        request = {"do": "start", "limits": self.bounds.for_session(), "jailed": self.jail, "keep": self._keep, **places}
        try:
            sockets = [pairs[0][1].fileno(), pairs[1][1].fileno(), write]
            self._send(request, sockets)
            answer = self._reply("start a session")
        except SandboxError:
            for ours, _ in pairs:
                ours.close()
            os.close(read)
            raise
        finally:
            for _, theirs in pairs:
                theirs.close()
            os.close(write)
        if "pid" not in answer:
            for ours, _ in pairs:
                ours.close()
            os.close(read)
            raise SandboxError(f"a session did not start: {answer.get('error', 'no reason given')}")
        pairs[0][0].settimeout(_ANSWER_SECONDS)
        self._open_sessions += 1
        return Handles(answer["pid"], pairs[0][0], pairs[1][0], read, None if self._outside is None else folder)

    def _unpack(self, data: DataFiles | None) -> str | None:
        """Where the warm worker has the data files, and it alone: they are sent once, however many sessions read them."""
        if data is None or not data.files:
            return None
        if (known := self._data.get(data.digest)) is not None:
            return known.folder
        memory, head = data.pack()
        folder = f"{'/tmp' if self._outside is None else self._outside.name}/data-{next(self._numbers)}"  # noqa: S108 - the jail's own
        instead = [] if self._open_sessions else [old.folder for old in self._data.values()]
        if not self._open_sessions:
            self._data.clear()
        self._data[data.digest] = _Unpacked(folder, data.size)
        try:
            self._make_room(1)
            self._send({"do": "data", "folder": folder, "head": head, "instead": instead}, [memory])
        finally:
            os.close(memory)
        if why := self._reply("take the data files").get("error"):
            del self._data[data.digest]
            raise SandboxError(f"the files beside the notebook could not be put into the jail: {why}")
        return folder

    def end_session(self, handles: Handles) -> None:
        """End every process of the session, and return once all are gone."""
        handles.keeper.close()
        handles.home.close()
        self._open_sessions -= 1
        self._send({"do": "end", "pid": handles.pid}, [])
        self._reply("end a session")
        if handles.folder is not None:
            shutil.rmtree(handles.folder, ignore_errors=True)

    def _send(self, request: dict[str, Any], descriptors: list[int]) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
        except OSError as error:
            raise SandboxError(f"the warm worker is gone{self._said()}") from error

    def _reply(self, doing: str) -> dict[str, Any]:
        try:
            packet = self._control.recv(65_536)
        except TimeoutError as error:
            # Its answer would be taken for that to a later question. Ended, it is replaced.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            raise SandboxError(f"the warm worker did not answer when asked to {doing}{self._said()}") from error
        except OSError as error:
            raise SandboxError(f"the warm worker is gone{self._said()}") from error
        if not packet:
            raise SandboxError(f"the warm worker ended{self._said()}")
        reply: dict[str, Any] = json.loads(packet)
        return reply

    def _said(self) -> str:
        """The last line that the warm worker, or bubblewrap, wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    @property
    def is_alive(self) -> bool:
        """Return whether the jail still runs; one that was ended from outside is to be closed, and another one made."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of the process that leads the jail."""
        return self._process.pid

    def close(self) -> None:
        """End the worker and everything in its jail."""
        self._control.close()
        if self._process.poll() is None:
            # Its group, not it alone: who makes a jail is bound to its parent's life a few milliseconds after it was forked.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()
        if self._outside is not None:
            self._outside.cleanup()
        if self.gpu_memory is not None:
            self.gpu_memory.close()
        if self.group is not None:
            with contextlib.suppress(OSError):
                self.group.close()
            self.group = None
