"""The process that one check has to itself: a request goes in, and an answer comes out, or a fault that says how it ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from torchgrade.checks.faults import BadAnswer, Died, TimedOut
from torchgrade.jail.protocol.values import WireError
from torchgrade.jail.protocol.wire import Closed, pair
from torchgrade.jail.resources.process_tree import ProcessTree
from torchgrade.jail.session_processes import SessionProcesses
from torchgrade.jail.watched_wire import WatchedWire

if TYPE_CHECKING:
    from torchgrade.jail.protocol.remote_student import Answering


class CheckProcess:
    """A fork of the notebook's process, or that process itself, and a wire to it. Raises :class:`Died` if neither is there."""

    def __init__(self, processes: SessionProcesses) -> None:
        ours, theirs = pair()
        with theirs:
            try:
                processes.give_check(theirs)
            except OSError as error:
                ours.close()
                raise Died("The notebook's process is gone.") from error
        ours.settimeout(processes.bounds.call_seconds)
        self._processes = processes
        self._wire = WatchedWire(ours, processes)
        self._wire.ask_for_peer()
        self.has_cuda = False
        """True once CUDA is set up in this process."""

    def ask(
        self, request: dict[str, Any], tensors: list[torch.Tensor], seconds: float, answering: Answering | None = None
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Return the answer to a request; ``answering`` answers what is asked in between, with functions of the grader's.

        Raises a :class:`StudentFault`, or whatever ``answering`` raises; after that, the process is of no more use.
        """
        deadline = time.monotonic() + seconds
        try:
            answer, data = self.transfer(request, tensors, seconds)
            while answering is not None and ("callback" in answer or "callback_vjp" in answer):
                began = time.monotonic()
                reply, outgoing = answering(answer, data)
                # The student's code decides what these functions compute, so that time is the submission's.
                self._processes.budget.spend(time.monotonic() - began)
                self._wire.send(reply, outgoing)
                answer, data = self._wire.receive(deadline)
        except TimedOut:
            raise TimedOut(f"Your code did not answer within {seconds:g} s; it was stopped.") from None
        except (Closed, TimeoutError):
            raise self._processes.how_check_ended() from None
        except WireError as error:
            raise BadAnswer(f"The answer could not be read: {error}.") from None
        if answer.get("n") != request["n"]:
            raise BadAnswer("The notebook's process gave an answer that does not belong to the question.")
        return answer, data

    def transfer(
        self, request: dict[str, Any], tensors: list[torch.Tensor], seconds: float
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Send a request and return what comes next, whichever request that answers. Raises what :class:`WatchedWire` does."""
        deadline = time.monotonic() + seconds
        self._wire.send(request, tensors)
        return self._wire.receive(deadline)

    def has_spoken(self) -> bool:
        """Return whether the process says something that it was not asked."""
        return self._wire.has_a_message()

    def tree(self) -> ProcessTree:
        """Return the session's processes as seen from outside. Raises :class:`Died` before the process has answered once."""
        if self._wire.peer is None:
            raise Died("Your code's process is gone.")
        return self._processes.tree(self._wire.peer)

    def close(self) -> None:
        """Close the wire, which ends the process."""
        self._wire.close()
