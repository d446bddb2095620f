"""A warm process behind its wall, and the socket on which it answers one request after another.

host ── JSON packets, descriptors ──► torchgrade.jail.inside.forking, which says what it answers
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import tempfile
from collections.abc import Sequence
from typing import IO, Any

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.resources.cgroup import ControlGroup
from torchgrade.jail.wall import View, Wall, Walled

_START_SECONDS = 120.0
_ANSWER_SECONDS = 30.0


class WarmProcess:
    """A Python module, started behind ``wall`` without waiting for it. ``program`` is the module's name and its arguments.

    Raises :class:`SandboxError` if there can be no such wall.
    """

    def __init__(self, wall: Wall, program: Sequence[str], view: View) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        module, *arguments = program
        try:
            wall.require()
            self._walled: Walled = wall.start(
                ["-m", module, str(theirs.fileno()), *arguments], view=view, output=self._errors, pass_fds=(theirs.fileno(),)
            )
        except BaseException:
            self._control.close()
            self._errors.close()
            raise
        finally:
            theirs.close()

    @property
    def group(self) -> ControlGroup | None:
        """The control group that limits it and all that it starts, if there is one."""
        return self._walled.group

    @property
    def keep(self) -> tuple[str, ...]:
        """Folders below /tmp that each session must keep."""
        return self._walled.keep

    @property
    def pid(self) -> int:
        """The number of the process that leads everything behind the wall."""
        return self._walled.process.pid

    @property
    def is_alive(self) -> bool:
        """True while the process runs."""
        return self._walled.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until its imports are done, once. Raises :class:`SandboxError` if they fail."""
        first = self._reply("start")
        if "ready" not in first:
            raise SandboxError(f"the warm worker did not start: {first.get('error', 'no reason given')}")
        self._control.settimeout(_ANSWER_SECONDS)

    def ask(self, doing: str, request: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        """Send a request and return its answer. Raises :class:`SandboxError`, which says what it was asked to be ``doing``."""
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], list(descriptors))
        except OSError as error:
            raise SandboxError(f"the warm worker is gone{self._last_line()}") from error
        return self._reply(doing)

    def _reply(self, doing: str) -> dict[str, Any]:
        try:
            packet = self._control.recv(65_536)
        except TimeoutError as error:
            # A late answer would be taken for the answer to the next question. A process that is ended gets replaced.
            self._kill()
            raise SandboxError(f"the warm worker did not answer when asked to {doing}{self._last_line()}") from error
        except OSError as error:
            raise SandboxError(f"the warm worker is gone{self._last_line()}") from error
        if not packet:
            raise SandboxError(f"the warm worker ended{self._last_line()}")
        reply: dict[str, Any] = json.loads(packet)
        return reply

    def _last_line(self) -> str:
        """The last line that it, or the program that makes its wall, wrote to standard error."""
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def _kill(self) -> None:
        # The whole group, not only this one: what makes a jail is bound to its parent's life only milliseconds after its fork.
        os.killpg(self.pid, signal.SIGKILL)
        self._walled.process.wait()

    def close(self) -> None:
        """End the process and everything behind its wall."""
        self._control.close()
        if self.is_alive:
            self._kill()
        self._errors.close()
        if self.group is not None:
            with contextlib.suppress(OSError):
                self.group.close()
