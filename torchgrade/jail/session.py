"""One submission in the jail: its cells are run once, each check gets a fork, and one remedy serves every mishap.

    load          cells run in `home`; a cell that hangs or ends the process is left out, and the others run again
    begin_check   a fork of home with a wire of its own           exchange   one request, one answer
    end_check     the keeper looks: is all as it was after loading? If not (a process or file left over, home gone, threads
                  that forbid a fork), the whole session is ended, and the next check loads the cells afresh

What the worker says is checked here for form (numbers, order, time, size); what it means is the proxy's matter.
"""

from __future__ import annotations

import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import torch

from torchgrade.checks.faults import BadAnswer, Died, Raised, SandboxError, StudentFault, TimedOut
from torchgrade.jail.handles import Handles
from torchgrade.jail.loading import CellError, Cells
from torchgrade.jail.output import Output
from torchgrade.jail.protocol.failures import died, lost_context, may_be_the_gpus, raise_if_error
from torchgrade.jail.protocol.values import WireError
from torchgrade.jail.protocol.wire import Closed, Wire, pair
from torchgrade.jail.resources.memory_watch import LOOK_SECONDS, look_at_memory
from torchgrade.jail.resources.process_tree import Outside
from torchgrade.jail.worker import WarmWorker

if TYPE_CHECKING:
    from torchgrade.notebook import DataFiles

_HOUSEKEEPING_SECONDS = 5.0
_CONTEXT_SECONDS = 60.0
"""A GPU that is not ready for use after this time does not work; and so much of our time a session gets for that in all."""
_HANG_SECONDS = 600.0
"""So long a GPU that hung is not waited for again: to do so at each check would take all day."""


class Session:
    """The judge's side of one submission. Use as a context manager: leaving it ends every process of the submission.

    ``cells`` is the program in wire form, ``probes`` the sources of the grader's probes, by module, ``data`` the files that
    the code finds where it runs. ``seconds`` bounds the time that the submission may keep the judge waiting in all.
    """

    def __init__(
        self,
        worker: WarmWorker,
        cells: Sequence[Mapping[str, Any]],
        *,
        probes: Mapping[str, str] | None = None,
        seconds: float = 60.0,
        data: DataFiles | None = None,
    ) -> None:
        self._worker = worker
        self._cells = Cells(cells, probes or {})
        self._data = data
        self._left = seconds
        self._seconds = seconds
        self._handles: Handles | None = None
        self._wire: Wire | None = None
        self._output: Output | None = None
        self._poll = select.poll()
        self._forkable = True
        self._warm = False  # whether the check's process has CUDA set up
        self._ours = _CONTEXT_SECONDS
        self._out_of_memory = 0
        self.printed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def cell_errors(self) -> list[CellError]:
        """The cells that raised, hung or ended the process, in order."""
        return self._cells.errors

    # ---- loading

    def load(self) -> None:
        """Run the cells, unless that is done.

        Raises :class:`StudentFault` when they cannot be run within the limits, and :class:`SandboxError` when none was begun.
        """
        if self._cells.fault is not None:
            raise self._cells.fault.with_traceback(None)
        while self._handles is None:
            self._load_once()

    def _load_once(self) -> None:
        limit = min(self._worker.bounds.cells_seconds, self._time_left())  # raises before anything is started
        handles = self._worker.start_session(self._data)
        self._handles = handles
        self._output = Output(handles.output, self._worker.bounds.output)
        self._out_of_memory = self._times_out_of_memory()
        wire = Wire(handles.notebook)
        running = -1
        deadline = time.monotonic() + limit
        try:
            wire.send(self._cells.program(), [])
            while "loaded" not in (message := self._receive(wire, deadline)):
                if running < 0 and "failed" in message:  # nothing of the submission has run yet: this is our own word
                    self._end_processes()
                    raise SandboxError(f"a session could not be set up: {message['failed']}")
                running = self._cells.place(message.get("cell"))
            self._take_loaded(message["loaded"])
            self._live().ask_keeper("remember")
        except StudentFault as fault:
            self._leave_out(running, fault)
        except Closed:
            self._leave_out(running, self._ended(self._live().notebook_status()))
        except (KeyError, TypeError, ValueError):
            self._leave_out(running, BadAnswer("the notebook's process answered what it was not asked"))

    def _take_loaded(self, loaded: Any) -> None:
        self._forkable = bool(loaded["forkable"])
        self._cells.take(loaded["errors"])

    def _leave_out(self, index: int, fault: StudentFault) -> None:
        """A cell hung or ended the process: without it the other cells may still define what is asked for."""
        if index < 0:
            self._never_began(fault)
        self._end_processes()
        self._cells.leave_out(index, fault, seconds=self._worker.bounds.cells_seconds, more=self._left > 0)

    def _never_began(self, fault: StudentFault) -> NoReturn:
        """No cell had its turn, so it is our failure, unless the submission had used up its time before."""
        if isinstance(fault, TimedOut):
            self._time_left()  # raises
            why = "it did not answer in time"
        else:
            why = self._why_home_ended()
        self._end_processes()
        raise SandboxError(f"a session ended before the first cell ran: {why}")

    # ---- checks

    def begin_check(self) -> None:
        """Give the next check a process of its own."""
        self.load()
        assert self._handles is not None  # noqa: S101 - load raised otherwise
        ours, theirs = pair()
        with theirs:
            try:
                socket.send_fds(self._handles.notebook, [b"check" if self._forkable else b"only"], [theirs.fileno()])
            except OSError as error:
                ours.close()
                self._worker.cut_off += 1
                self._end_processes()
                raise Died("The notebook's process is gone.") from error
        ours.settimeout(self._worker.bounds.call_seconds)
        self._wire = Wire(ours)
        self._wire.ask_for_peer()
        self._warm = False
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)
        self._register_output()

    def _register_output(self) -> None:
        if self._output is not None:
            self._poll.register(self._output.descriptor, select.POLLIN)

    def end_check(self) -> None:
        """End the check's process, and the whole session if it is not as it was."""
        if self._wire is None:
            return
        self._wire.close()
        self._wire = None
        if self._handles is None:
            return
        if not self._forkable or not self._as_it_was():
            self._end_processes()

    def _as_it_was(self) -> bool:
        try:
            self._ask_home_status()
            found = self._live().ask_keeper("look")
            self._read_output()
        except (StudentFault, Closed, SandboxError, KeyError):
            self._worker.cut_off += 1
            return False
        return not found.get("processes") and not found.get("files") and found.get("notebook") is None

    def exchange(
        self, request: dict[str, Any], tensors: list[torch.Tensor], seconds: float | None = None
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Send a request to the running check's process and return its answer.

        Raises a :class:`StudentFault` for whatever is the submission's failure; after some of them the session is ended.
        """
        if self._wire is None:
            self.begin_check()
        if request.get("context", {}).get("cuda"):
            self.set_up_gpu()
        wire = self._wire
        assert wire is not None  # noqa: S101 - begin_check raised otherwise
        if self._poll.poll(0) and self._readable(wire):
            self._abandon()
            raise BadAnswer("The notebook's process answered before it was asked.")
        limit = min(seconds or self._worker.bounds.call_seconds, self._time_left())
        deadline = time.monotonic() + limit
        try:
            wire.send(request, tensors)
            answer, data = self._receive_answer(wire, deadline)
        except TimedOut:
            self._abandon()
            raise TimedOut(f"Your code did not answer within {limit:g} s; it was stopped.") from None
        except (Closed, TimeoutError):
            fault = self._how_check_ended()
            self._abandon()
            raise fault from None
        except WireError as error:
            self._abandon()
            raise BadAnswer(f"The answer could not be read: {error}.") from None
        except StudentFault:
            self._abandon()
            raise
        self._look_for_faults(answer, request["n"])
        return answer, data

    def _look_for_faults(self, answer: dict[str, Any], number: int) -> None:
        if answer.get("n") != number:
            self._abandon()
            raise BadAnswer("The notebook's process gave an answer that does not belong to the question.")
        try:
            raise_if_error(answer)
        except Raised as fault:
            if lost_context(fault):  # the next call gets a process whose GPU works
                self._abandon()
            if may_be_the_gpus(fault) and self._worker.gpu is not None:
                self._require_gpu()
            raise

    def set_up_gpu(self) -> None:
        """Have the check's process set up CUDA, on our time, not the submission's.

        Raises :class:`SandboxError` where that fails without the submission too, else its :class:`StudentFault`. Does nothing
        where there is no GPU to use.
        """
        if self._worker.gpu is None or self._warm:
            return
        if time.monotonic() - self._worker.gpu_hung_at < _HANG_SECONDS:
            raise SandboxError("the GPU cannot be used in the jail: it hung there before; docs/gpu.md says more")
        if self._wire is None:
            self.begin_check()
        assert self._wire is not None  # noqa: S101 - begin_check raised otherwise
        left = self._left
        try:
            self._wire.send({"n": 0, "do": "warm_up", "memory": self._worker.bounds.gpu_memory}, [])
            answer, _ = self._receive_answer(self._wire, time.monotonic() + _CONTEXT_SECONDS)
            if answer.get("n") != 0:
                raise BadAnswer("the answer does not belong to the question")
            raise_if_error(answer)
        except (StudentFault, Closed, TimeoutError, WireError) as error:
            self._abandon()
            why = (error.text if isinstance(error, Raised) else str(error)) or "no answer came"
            if not len(self._cells):
                if isinstance(error, TimedOut):
                    self._worker.gpu_hung_at = time.monotonic()
                raise SandboxError(f"the GPU cannot be used in the jail: {why.splitlines()[0]}; docs/gpu.md says more") from error
            self._require_gpu()
            raise Died(f"The GPU could not be used in your notebook's process: {why}") from error
        taken = min(left - self._left, self._ours)
        self._left, self._ours = self._left + taken, self._ours - taken
        self._warm = True

    def _require_gpu(self) -> None:
        """Raise :class:`SandboxError` if a notebook without a cell cannot use the GPU either."""
        with Session(self._worker, []) as empty:
            empty.set_up_gpu()

    def outside(self) -> Outside:
        """The session's processes as they can be seen from here, once its check's process has answered; else :class:`Died`."""
        if self._wire is None or self._wire.peer is None or self._handles is None:
            raise Died("Your code's process is gone.")
        return Outside(self._wire.peer, first=None if self._worker.wall.isolates else self._handles.pid, group=self._worker.group)

    def _readable(self, wire: Wire) -> bool:
        self._read_output()
        return bool(select.select([wire.sock], [], [], 0)[0])

    # ---- waiting

    def _time_left(self) -> float:
        if self._left <= 0:
            raise TimedOut(f"The submission used up its {self._seconds:g} s; this was not run any more.")
        return self._left

    def _receive(self, wire: Wire, deadline: float) -> dict[str, Any]:
        poll = select.poll()
        poll.register(wire.sock, select.POLLIN)
        if self._output is not None:
            poll.register(self._output.descriptor, select.POLLIN)
        self._wait(poll, wire, deadline)
        try:
            return wire.receive(at_most=self._worker.bounds.answer)[0]
        except WireError as error:
            raise BadAnswer(f"The answer could not be read: {error}.") from None

    def _receive_answer(self, wire: Wire, deadline: float) -> tuple[dict[str, Any], list[torch.Tensor]]:
        self._wait(self._poll, wire, deadline)
        return wire.receive(at_most=self._worker.bounds.answer)

    def _wait(self, poll: select.poll, wire: Wire, deadline: float) -> None:
        """Until the wire has something, reading what is printed meanwhile. The time counts as the submission's."""
        started = time.monotonic()
        look = started + LOOK_SECONDS if self._worker.gpu is not None else deadline
        number = wire.sock.fileno()
        try:
            while (now := time.monotonic()) < deadline:
                if now >= look and self._handles is not None:
                    look_at_memory(self._worker, self._handles.pid)
                    look = now + LOOK_SECONDS
                events = poll.poll((min(deadline, look) - now) * 1000 + 1)
                if any(descriptor == number for descriptor, _ in events):
                    return
                if events:
                    self._read_output()
                    if self._output is not None and any(event & select.POLLHUP for _, event in events):
                        poll.unregister(self._output.descriptor)
            raise TimedOut
        finally:
            self._left -= time.monotonic() - started

    def _read_output(self) -> None:
        if self._output is not None and not self._output.read():
            limit = self._worker.bounds.output // 1024
            raise Died(f"Your code printed more than {limit} KB; it was stopped.")

    # ---- how things ended

    def _how_check_ended(self) -> StudentFault:
        try:
            self._read_output()
            status = self._ask_home_status() if self._forkable else self._live().notebook_status()
        except StudentFault as fault:
            return fault
        except (Closed, SandboxError):
            status = self._live().notebook_status()
        return self._ended(status)

    def _why_home_ended(self) -> str:
        """The same for us, where no cell had its turn."""
        try:
            status = self._live().ask_keeper("look").get("notebook")
        except SandboxError as error:
            return str(error)
        return f"its process ended with status {status}"

    def _ended(self, status: int | None) -> StudentFault:
        if self._times_out_of_memory() > self._out_of_memory:
            return Died(f"Your code ran out of memory: it may use {self._worker.bounds.memory >> 20} MB.")
        self._worker.cut_off += status in (None, -signal.SIGKILL)
        return died(status)

    def _times_out_of_memory(self) -> int:
        group = self._worker.group
        return group.times_out_of_memory() if group is not None else 0

    def _live(self) -> Handles:
        assert self._handles is not None  # noqa: S101 - asked of a live session only
        return self._handles

    def _ask_home_status(self) -> int | None:
        home = self._live().notebook
        try:
            home.send(b"status")
        except OSError as error:
            raise Closed from error
        try:
            message = self._receive(Wire(home), time.monotonic() + _HOUSEKEEPING_SECONDS)
        except TimeoutError as error:
            raise Closed from error
        status = message.get("status")
        return status if isinstance(status, int) else None

    # ---- the end

    def _abandon(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        self._end_processes()

    def _end_processes(self) -> None:
        handles, self._handles = self._handles, None
        if handles is not None:
            self._worker.end_session(handles)
        if self._output is not None:
            self._output.read()
            self.printed = (self.printed + self._output.text)[: self._worker.bounds.output]
            self._output.close()
            self._output = None

    def end(self) -> None:
        """End every process of the submission."""
        self._abandon()
