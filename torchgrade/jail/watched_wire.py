"""A wire to a process of a session that is watched while the judge waits: its output, its memory, the time."""

from __future__ import annotations

import select
import socket
import time
from typing import TYPE_CHECKING, Any

import torch

from torchgrade.checks.faults import TimedOut
from torchgrade.jail.protocol.wire import Wire

if TYPE_CHECKING:
    from torchgrade.jail.session_processes import SessionProcesses


class WatchedWire:
    """The judge's end. Everything that the ``processes`` print meanwhile is read, so that they never have to wait for that."""

    def __init__(self, sock: socket.socket, processes: SessionProcesses) -> None:
        self._wire, self._processes = Wire(sock), processes
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._poll.register(processes.output.descriptor, select.POLLIN)

    @property
    def peer(self) -> int | None:
        """The number of the process that sent the last message, by the kernel's word, once :meth:`ask_for_peer` was called."""
        return self._wire.peer

    def ask_for_peer(self) -> None:
        """Have the kernel name the sender of each message from now on."""
        self._wire.ask_for_peer()

    def send(self, message: dict[str, Any], tensors: list[torch.Tensor]) -> None:
        """Send one message. Raises :class:`Closed`, ``TimeoutError`` or :class:`WireError`."""
        self._wire.send(message, tensors)

    def receive(self, deadline: float) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Return the next message, after :meth:`wait`. Also raises :class:`Closed`, ``TimeoutError`` or :class:`WireError`."""
        self.wait(deadline)
        return self._wire.receive(at_most=self._processes.bounds.answer)

    def wait(self, deadline: float) -> None:
        """Return once there is something to read. The time counts as the submission's.

        Raises :class:`TimedOut` at the deadline, by the monotonic clock, and :class:`Died` if the session takes or prints more
        than it may.
        """
        started = time.monotonic()
        look = started + self._processes.look_seconds
        number = self._wire.sock.fileno()
        try:
            while (now := time.monotonic()) < deadline:
                if now >= look:
                    self._processes.look_at_memory()
                    look = now + self._processes.look_seconds
                events = self._poll.poll((min(deadline, look) - now) * 1000 + 1)
                if any(descriptor == number for descriptor, _ in events):
                    return
                if events:
                    self._processes.read_output()
                    if any(event & select.POLLHUP for _, event in events):
                        self._poll.unregister(self._processes.output.descriptor)
            raise TimedOut
        finally:
            self._processes.budget.spend(time.monotonic() - started)

    def has_a_message(self) -> bool:
        """Return whether there is something to read now; reads what was printed, and raises :class:`Died` if that is too much."""
        if not self._poll.poll(0):
            return False
        self._processes.read_output()
        return bool(select.select([self._wire.sock], [], [], 0)[0])

    def close(self) -> None:
        """Close this end."""
        self._wire.close()
