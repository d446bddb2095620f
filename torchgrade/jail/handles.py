"""A started session as its host holds it: two sockets, what it prints, and where it writes."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import time
from pathlib import Path
from typing import Any, Self

from torchgrade.checks.faults import SandboxError

_ANSWER_SECONDS = 30.0


@dataclasses.dataclass(frozen=True, slots=True)
class Handles:
    """The host's ends of a session's sockets and pipe; ``pid`` is its first process, as the warm worker numbers it."""

    pid: int
    keeper: socket.socket
    notebook: socket.socket
    output: int
    folder: Path | None = None
    """Where the session writes, unless that is a mount of its own that ends with it."""

    def ask_keeper(self, what: str) -> dict[str, Any]:
        """Return the keeper's answer; raises :class:`SandboxError` if it is gone, or could not set the session up."""
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

    def notebook_status(self) -> int | None:
        """Return how the process that ran the cells has ended; ``None`` if it has not, or if there is nobody left to ask."""
        for _ in range(20):
            try:
                status = self.ask_keeper("look").get("notebook")
            except (SandboxError, KeyError):
                return None
            if isinstance(status, int):
                return status
            time.sleep(0.01)
        return None


class Ends:
    """Both ends of a new session's channels: ``theirs`` are sent to the warm worker, the others become :class:`Handles`."""

    def __init__(self) -> None:
        self._keeper, keeper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._notebook, notebook = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._output, write = os.pipe()
        self._theirs = (keeper.detach(), notebook.detach(), write)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        for descriptor in self._theirs:
            os.close(descriptor)
        if error is not None:
            self._keeper.close()
            self._notebook.close()
            os.close(self._output)

    @property
    def theirs(self) -> list[int]:
        """The descriptors for the keeper, for the notebook's process, and for what they print."""
        return list(self._theirs)

    def handles(self, pid: int, folder: Path | None) -> Handles:
        """Return what the host keeps."""
        self._keeper.settimeout(_ANSWER_SECONDS)
        return Handles(pid, self._keeper, self._notebook, self._output, folder)
