"""A jail for kernels, seen from the host: a warm launcher, and one kernel at a time in a fork of it.

    provisioner ── files, command ──► JailedKernel ── control socket ──► launcher ──► keeper ──► kernel
                                                                          └── a folder of sockets, shared with the host

A jail is kept when its kernel ends: the next kernel with the same limits then starts in a tenth of the time.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from torchgrade.jail import Bounds, SandboxError, View, Wall, WarmWorker
from torchgrade.jail.handles import Handles
from torchgrade.jail.wall_choice import choose_wall

_IN_THE_JAIL = "/run/kernel"
# Without it, every plot begins with the font library's error message on stderr, which nbgrader takes for a failed test.
_FONTS = Path("/etc/fonts")
_START_SECONDS = 90.0
_CLOSED = -9
_LONGEST = 90
"""The most bytes of the path above the sockets' folder: the path of a Unix socket may have 107."""


class Kind(NamedTuple):
    """The properties that two kernels must have in common to run in the same jail, one after the other."""

    bounds: Bounds
    hide: tuple[Path, ...] = ()
    preload: tuple[str, ...] = ()
    wall: Wall | None = None


def _folder_for_sockets() -> Path:
    above = tempfile.gettempdir()
    if len(above.encode()) > _LONGEST:
        raise SandboxError(f"the path of a socket below {above} would be too long: set TMPDIR to a shorter folder")
    return Path(tempfile.mkdtemp(prefix="tg-"))


class KernelJail(WarmWorker):
    """A jail with a launcher in it. Raises :class:`SandboxError` if this machine cannot make one."""

    def __init__(self, kind: Kind) -> None:
        wall = kind.wall or choose_wall()
        if not wall.isolates:
            raise SandboxError(f"kernels need a wall that isolates them, but this one does not: {wall.name}")
        self.kind = kind
        self.sockets = _folder_for_sockets()
        view = View(hide=kind.hide, readable=(_FONTS,), shared={_IN_THE_JAIL: self.sockets})
        program = ("torchgrade.kernels.inside.launcher", *kind.preload)
        try:
            super().__init__(kind.bounds, wall=wall, view=view, program=program)
        except BaseException:
            shutil.rmtree(self.sockets, ignore_errors=True)
            raise

    def close(self) -> None:
        """End the launcher and everything in its jail."""
        super().close()
        shutil.rmtree(self.sockets, ignore_errors=True)


_idle: list[KernelJail] = []
_lock = threading.Lock()


def _jail_for(kind: Kind) -> KernelJail:
    with _lock:
        for jail in [jail for jail in _idle if jail.kind == kind]:
            _idle.remove(jail)
            if jail.is_alive:
                return jail
            jail.close()
    return KernelJail(kind)


@atexit.register
def close_idle_jails() -> None:
    """End the jails that are waiting for another kernel."""
    with _lock:
        while _idle:
            _idle.pop().close()


class JailedKernel:
    """A place for one kernel. ``sockets``, where its five sockets will be, is known before it starts."""

    def __init__(self, kind: Kind) -> None:
        self._jail = _jail_for(kind)
        self._handles: Handles | None = None
        self._ended: int | None = None

    @property
    def sockets(self) -> Path:
        """Return the path that the host's sockets are named after, by adding ``-1`` to ``-5``."""
        return self._jail.sockets / "k"

    @property
    def pid(self) -> int:
        """The number of the process that leads the jail."""
        return self._jail.pid

    def start(self, folder: Path | None, connection: dict[str, Any], arguments: list[str], environment: dict[str, str]) -> None:
        """Start the kernel, with copies of the files in ``folder`` beside it; return once its sockets are open."""
        for left in self._jail.sockets.iterdir():
            left.unlink()
        self._ended, self._handles = None, self._jail.start_session()
        os.close(self._handles.output)  # the kernel's own log stays in the jail
        keeper = self._handles.keeper
        keeper.settimeout(_START_SECONDS)
        inside = {**connection, "ip": f"{_IN_THE_JAIL}/k"}
        with contextlib.suppress(OSError):  # the keeper has ended; its last message can still be read
            for name, path in _files(folder) if folder is not None else ():
                _send_file(keeper, name, path)
            go = {"connection": inside, "arguments": arguments, "environment": environment}
            keeper.send(json.dumps({"go": go}).encode())
        try:
            answer = json.loads(_last_word(keeper) or b"{}")
        except OSError as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        if "ready" not in answer:
            self.end()
            raise SandboxError(f"the kernel did not start: {answer.get('error') or answer.get('log') or 'no reason given'}")
        keeper.settimeout(0)

    def poll(self) -> int | None:
        """How the kernel ended, as an exit status or the negative number of a signal; ``None`` while it runs."""
        if self._ended is None and self._handles is not None:
            try:
                packet = self._handles.keeper.recv(4096)
                answer = json.loads(packet) if packet else {"ended": _CLOSED}
                self._ended = int(answer.get("ended", _CLOSED))
            except BlockingIOError:
                return None
            except OSError:
                self._ended = _CLOSED
        return self._ended

    @property
    def is_running(self) -> bool:
        """Return whether a kernel was started and its end has not been seen yet."""
        return self._handles is not None

    def signal(self, number: int) -> None:
        """Send a signal to the kernel and the processes of its group."""
        if self._handles is not None:
            with contextlib.suppress(OSError):
                self._handles.keeper.send(json.dumps({"signal": int(number)}).encode())

    def end(self) -> None:
        """End the kernel and all its processes, and return once they are gone."""
        if self._handles is None:
            return
        handles, self._handles = self._handles, None
        if self._ended is None:
            self._ended = _CLOSED
        with contextlib.suppress(SandboxError):  # the jail is gone, and the kernel with it
            self._jail.end_session(handles)

    def close(self) -> None:
        """Give the jail back for the next kernel."""
        self.end()
        with _lock:
            if self._jail not in _idle:
                _idle.append(self._jail)


def _last_word(keeper: socket.socket) -> bytes:
    """Return the keeper's message. If it ended before it read all that was sent, the socket first raises an error, once."""
    with contextlib.suppress(ConnectionResetError):
        return keeper.recv(65_536)
    return keeper.recv(65_536)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The regular files below ``folder``, except notebooks, whose cells may hold hidden tests. Links are not followed."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".ipynb_checkpoints")
        for name in sorted(names):
            if not name.endswith(".ipynb"):
                path = Path(where, name)
                yield str(path.relative_to(folder)), path


def _send_file(keeper: socket.socket, name: str, path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return  # a link, or one that may not be read
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            message = {"file": name, "mode": stat.S_IMODE(mode) & 0o777 | 0o600}
            socket.send_fds(keeper, [json.dumps(message).encode()], [descriptor])
    finally:
        os.close(descriptor)
