"""Runs a notebook's cells in a session's processes, and tells a cell's failure from the submission's and from ours."""

from __future__ import annotations

import time

from torchgrade.checks.faults import BadAnswer, SandboxError, StudentFault, TimedOut
from torchgrade.jail.loading import Cells
from torchgrade.jail.protocol.wire import Closed
from torchgrade.jail.session_processes import SessionProcesses


class CellStopped(Exception):
    """The cell with this index hung, or ended the process; ``fault`` says which, for the student."""

    def __init__(self, index: int, fault: StudentFault) -> None:
        self.index, self.fault = index, fault
        super().__init__(str(fault))


def run_cells(processes: SessionProcesses, cells: Cells, seconds: float) -> None:
    """Run the cells, within ``seconds`` in all, and note which of them raised.

    Raises :class:`CellStopped`; or, if no cell had its turn, :class:`SandboxError`, or :class:`TimedOut` if the submission had
    used up its time before.
    """
    deadline = time.monotonic() + seconds
    running = -1
    try:
        processes.send_program(cells.program())
        while "loaded" not in (message := processes.next_message(deadline)):
            if running < 0 and "failed" in message:  # nothing of the submission has run yet: this is our own word
                raise SandboxError(f"a session could not be set up: {message['failed']}")
            running = cells.place(message.get("cell"))
        loaded = message["loaded"]
        processes.forkable = bool(loaded["forkable"])
        cells.take(loaded["errors"])
        processes.remember()
    except StudentFault as fault:
        _stop(processes, running, fault)
    except Closed:
        _stop(processes, running, processes.how_notebook_ended())
    except (KeyError, TypeError, ValueError):
        _stop(processes, running, BadAnswer("the notebook's process answered what it was not asked"))


def _stop(processes: SessionProcesses, running: int, fault: StudentFault) -> None:
    if running >= 0:
        raise CellStopped(running, fault) from fault
    if isinstance(fault, TimedOut):
        processes.budget.require()
        why = "it did not answer in time"
    else:
        why = processes.why_nothing_ran()
    raise SandboxError(f"a session ended before the first cell ran: {why}")
