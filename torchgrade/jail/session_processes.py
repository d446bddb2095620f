"""A session's processes from a start to their end: keeper, notebook's process, and what both tell about the checks' processes.

What they say is a claim. It is used for messages and to see whether the session can be used again; never for marks.
"""

from __future__ import annotations

import math
import signal
import socket
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from torchgrade.checks.faults import BadAnswer, Died, SandboxError, StudentFault
from torchgrade.jail.bounds import Bounds
from torchgrade.jail.budget import TimeBudget
from torchgrade.jail.output import Output
from torchgrade.jail.protocol.failures import died
from torchgrade.jail.protocol.values import WireError
from torchgrade.jail.protocol.wire import Closed
from torchgrade.jail.resources.memory_watch import LOOK_SECONDS, look_at_memory
from torchgrade.jail.resources.process_tree import ProcessTree
from torchgrade.jail.watched_wire import WatchedWire
from torchgrade.jail.worker import WarmWorker

if TYPE_CHECKING:
    from torchgrade.notebook import DataFiles

_HOUSEKEEPING_SECONDS = 5.0


class SessionProcesses:
    """Started by ``worker``, and waiting for their program; the time that is spent waiting for them is the budget's."""

    def __init__(self, worker: WarmWorker, data: DataFiles | None, budget: TimeBudget, modules: Collection[str] = ()) -> None:
        self._worker, self.budget = worker, budget
        self._handles = worker.start_session(data, modules)
        self.output = Output(self._handles.output, worker.bounds.output)
        self.forkable = True
        """False if the notebook has threads, or has set up CUDA: its one process then serves one check itself."""
        self._notebook = WatchedWire(self._handles.notebook, self)
        self._ended_for_memory = self._times_out_of_memory()

    @property
    def bounds(self) -> Bounds:
        """The limits of the submission."""
        return self._worker.bounds

    # ---- the notebook's process

    def send_program(self, program: dict[str, Any]) -> None:
        """Send the cells, which then run. Raises :class:`Closed` if nobody is there."""
        self._notebook.send(program, [])

    def next_message(self, deadline: float) -> dict[str, Any]:
        """Return what the notebook's process says next. Raises :class:`Closed`, or a :class:`StudentFault`."""
        try:
            return self._notebook.receive(deadline)[0]
        except WireError as error:
            raise BadAnswer(f"The answer could not be read: {error}.") from None

    def give_check(self, wire: socket.socket) -> None:
        """Have a process answer the other end of ``wire``: a fork of the notebook's, or that one itself. Raises ``OSError``."""
        socket.send_fds(self._handles.notebook, [b"check" if self.forkable else b"only"], [wire.fileno()])

    def _check_status(self) -> int | None:
        """Ask the notebook's process how its last fork ended."""
        try:
            self._handles.notebook.send(b"status")
        except OSError as error:
            raise Closed from error
        try:
            message = self.next_message(time.monotonic() + _HOUSEKEEPING_SECONDS)
        except TimeoutError as error:
            raise Closed from error
        status = message.get("status")
        return status if isinstance(status, int) else None

    # ---- the keeper

    def remember(self) -> None:
        """Have the keeper remember which processes and files there are now."""
        self._handles.ask_keeper("remember")

    def are_as_loaded(self) -> bool:
        """Return whether every process and file was there before the check, and the notebook's process still is."""
        try:
            self._check_status()
            found = self._handles.ask_keeper("look")
            self.read_output()
        except (StudentFault, Closed, SandboxError, KeyError):
            self._worker.cut_off += 1
            return False
        return not found.get("processes") and not found.get("files") and found.get("notebook") is None

    # ---- while they are waited for

    @property
    def look_seconds(self) -> float:
        """How often :meth:`look_at_memory` is due; never if there is no GPU."""
        return LOOK_SECONDS if self._worker.gpu is not None else math.inf

    def look_at_memory(self) -> None:
        """Raise :class:`Died` if they take more memory than they may, on a GPU or beside one."""
        look_at_memory(self._worker, self._handles.pid)

    def read_output(self) -> None:
        """Read what was printed. Raises :class:`Died` if that is more than allowed."""
        if not self.output.read():
            raise Died(f"Your code printed more than {self.bounds.output // 1024} KB; it was stopped.")

    def tree(self, peer: int) -> ProcessTree:
        """Return the processes as the judge sees them from outside; ``peer`` is the one that answers."""
        first = None if self._worker.wall.isolates else self._handles.pid
        return ProcessTree(peer, first=first, group=self._worker.group)

    # ---- how they ended

    def how_check_ended(self) -> StudentFault:
        """Return what to tell a student if the process of a check is gone."""
        try:
            self.read_output()
            status = self._check_status() if self.forkable else self._handles.notebook_status()
        except StudentFault as fault:
            return fault
        except (Closed, SandboxError):
            status = self._handles.notebook_status()
        return self._fault(status)

    def how_notebook_ended(self) -> StudentFault:
        """Return what to tell a student if the process of their cells is gone."""
        return self._fault(self._handles.notebook_status())

    def why_nothing_ran(self) -> str:
        """Return the same for us, if no cell had its turn."""
        try:
            status = self._handles.ask_keeper("look").get("notebook")
        except SandboxError as error:
            return str(error)
        return f"its process ended with status {status}"

    def _fault(self, status: int | None) -> StudentFault:
        if self._times_out_of_memory() > self._ended_for_memory:
            return Died(f"Your code ran out of memory: it may use {self.bounds.memory >> 20} MB.")
        self._worker.cut_off += status in (None, -signal.SIGKILL)
        return died(status)

    def _times_out_of_memory(self) -> int:
        group = self._worker.group
        return group.times_out_of_memory() if group is not None else 0

    def end(self) -> None:
        """End all of them; what they printed last can be read in ``output`` afterwards."""
        try:
            self._worker.end_session(self._handles)
        finally:
            self._notebook.close()
            self.output.read()
            self.output.close()
