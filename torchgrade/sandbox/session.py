"""One submission in the jail: its cells are run once, each check gets a fork, and one remedy serves every mishap.

    load          cells run in `home`; a cell that hangs or ends the process is left out, and the others run again
    begin_check   a fork of home with a wire of its own           exchange   one request, one answer
    end_check     the keeper looks: is all as it was after loading? If not (a process or file left over, home gone, threads
                  that forbid a fork), the whole session is ended, and the next check loads the cells afresh

What the worker says is checked here for form (numbers, order, time, size); what it means is the proxy's matter.
"""

from __future__ import annotations

import dataclasses
import json
import select
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import torch

from torchgrade.sandbox.errors import BadAnswer, Died, SandboxError, StudentFault, TimedOut
from torchgrade.sandbox.mishaps import died, raise_if_error, raised
from torchgrade.sandbox.output import Output
from torchgrade.sandbox.outside import Outside
from torchgrade.sandbox.values import WireError
from torchgrade.sandbox.wire import Closed, Wire, pair
from torchgrade.sandbox.worker import Handles, WarmWorker

_MOST_LEFT_OUT = 4
_HOUSEKEEPING_SECONDS = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class CellError:
    """A cell that did not run through: its place in the program, and what happened, for the student."""

    index: int
    grade_id: str | None
    message: str


class Session:
    """The judge's side of one submission. Use as a context manager: leaving it ends every process of the submission.

    ``cells`` is the program in wire form, ``probes`` the source of the grader's probes. ``seconds`` bounds the time that the
    submission may keep the judge waiting in all.
    """

    def __init__(
        self,
        worker: WarmWorker,
        cells: Sequence[Mapping[str, Any]],
        *,
        probes: str | None = None,
        seconds: float = 60.0,
    ) -> None:
        self._worker = worker
        self._cells = [dict(cell) for cell in cells]
        self._probes = probes
        self._left = seconds
        self._seconds = seconds
        self._handles: Handles | None = None
        self._wire: Wire | None = None
        self._output: Output | None = None
        self._poll = select.poll()
        self._forkable = True
        self._left_out: dict[int, CellError] = {}
        self._raised: dict[int, CellError] = {}
        self._out_of_memory = 0
        self.printed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def cell_errors(self) -> list[CellError]:
        """The cells that raised, hung or ended the process, in order."""
        return [error for _, error in sorted((self._raised | self._left_out).items())]

    # ---- loading

    def load(self) -> None:
        """Run the cells, unless that is done. Raises :class:`StudentFault` when they cannot be run within the limits."""
        while self._handles is None:
            self._load_once()

    def _load_once(self) -> None:
        limit = min(self._worker.bounds.cells_seconds, self._time_left())  # raises before anything is started
        handles = self._worker.start_session()
        self._handles = handles
        self._output = Output(handles.output, self._worker.bounds.output)
        self._out_of_memory = self._times_out_of_memory()
        wire = Wire(handles.home)
        program = {"cells": self._cells, "skip": sorted(self._left_out), "probes": self._probes}
        running = -1
        deadline = time.monotonic() + limit
        try:
            wire.send(program, [])
            while "loaded" not in (message := self._receive(wire, deadline)):
                running = _whole_number(message.get("cell"), len(self._cells))
            self._take_loaded(message["loaded"])
            self._ask_keeper("remember")
        except StudentFault as fault:
            self._leave_out(running, fault)
        except Closed:
            self._leave_out(running, self._how_home_ended())
        except (KeyError, TypeError, ValueError):
            self._leave_out(running, BadAnswer("the notebook's process answered what it was not asked"))

    def _take_loaded(self, loaded: Any) -> None:
        self._forkable = bool(loaded["forkable"])
        self._raised = {}
        for error in loaded["errors"][: len(self._cells)]:
            index = _whole_number(error["cell"], len(self._cells))
            self._raised[index] = CellError(index, self._cells[index]["grade_id"], str(raised(error)))

    def _leave_out(self, index: int, fault: StudentFault) -> None:
        """A cell hung or ended the process: without it the other cells may still define what is asked for."""
        self._end_processes()
        message = str(fault)
        if isinstance(fault, TimedOut):
            message = f"This cell did not end within {self._worker.bounds.cells_seconds:g} s; it was left out."
        if index < 0 or index in self._left_out or len(self._left_out) >= _MOST_LEFT_OUT or self._left <= 0:
            self._left = 0.0
            raise fault
        self._left_out[index] = CellError(index, self._cells[index]["grade_id"], message)

    # ---- checks

    def begin_check(self) -> None:
        """Give the next check a process of its own."""
        self.load()
        assert self._handles is not None  # noqa: S101 - load raised otherwise
        ours, theirs = pair()
        with theirs:
            try:
                socket.send_fds(self._handles.home, [b"check" if self._forkable else b"only"], [theirs.fileno()])
            except OSError as error:
                ours.close()
                self._end_processes()
                raise Died("The notebook's process is gone.") from error
        ours.settimeout(self._worker.bounds.call_seconds)
        self._wire = Wire(ours)
        self._wire.ask_for_peer()
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
            found = self._ask_keeper("look")
            self._read_output()
        except (StudentFault, Closed, SandboxError, KeyError):
            return False
        return not found.get("processes") and not found.get("files") and found.get("home") is None

    def exchange(
        self, request: dict[str, Any], tensors: list[torch.Tensor], seconds: float | None = None
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Send a request to the running check's process and return its answer.

        Raises a :class:`StudentFault` for whatever is the submission's failure; after some of them the session is ended.
        """
        if self._wire is None:
            self.begin_check()
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
        if answer.get("n") != request["n"]:
            self._abandon()
            raise BadAnswer("The notebook's process gave an answer that does not belong to the question.")
        raise_if_error(answer)
        return answer, data

    def outside(self) -> Outside:
        """The session's processes as they can be seen from here, once its check's process has answered; else :class:`Died`."""
        if self._wire is None or self._wire.peer is None or self._handles is None:
            raise Died("Your code's process is gone.")
        return Outside(self._wire.peer, first=None if self._worker.jail else self._handles.pid, group=self._worker.group)

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
        number = wire.sock.fileno()
        try:
            while (now := time.monotonic()) < deadline:
                events = poll.poll((deadline - now) * 1000 + 1)
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
            status = self._ask_home_status() if self._forkable else self._how_home_ended_status()
        except StudentFault as fault:
            return fault
        except (Closed, SandboxError):
            status = self._how_home_ended_status()
        return self._ended(status)

    def _how_home_ended(self) -> StudentFault:
        return self._ended(self._how_home_ended_status())

    def _how_home_ended_status(self) -> int | None:
        for _ in range(20):
            try:
                status = self._ask_keeper("look").get("home")
            except (SandboxError, KeyError):
                return None
            if isinstance(status, int):
                return status
            time.sleep(0.01)
        return None

    def _ended(self, status: int | None) -> StudentFault:
        if self._times_out_of_memory() > self._out_of_memory:
            return Died(f"Your code ran out of memory: it may use {self._worker.bounds.memory >> 20} MB.")
        return died(status)

    def _times_out_of_memory(self) -> int:
        group = self._worker.group
        return group.times_out_of_memory() if group is not None else 0

    def _ask_home_status(self) -> int | None:
        assert self._handles is not None  # noqa: S101 - asked of a live session only
        try:
            self._handles.home.send(b"status")
        except OSError as error:
            raise Closed from error
        try:
            message = self._receive(Wire(self._handles.home), time.monotonic() + _HOUSEKEEPING_SECONDS)
        except TimeoutError as error:
            raise Closed from error
        status = message.get("status")
        return status if isinstance(status, int) else None

    def _ask_keeper(self, what: str) -> dict[str, Any]:
        assert self._handles is not None  # noqa: S101 - asked of a live session only
        try:
            self._handles.keeper.send(json.dumps({"do": what}).encode())
            packet = self._handles.keeper.recv(65_536)
        except OSError as error:
            raise SandboxError("the session's keeper is gone") from error
        if not packet:
            raise SandboxError("the session's keeper ended")
        answer: dict[str, Any] = json.loads(packet)
        if "error" in answer:
            raise SandboxError(f"the session could not be set up: {answer['error']}")
        return answer

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


def _whole_number(value: Any, below: int) -> int:
    if type(value) is not int or not 0 <= value < below:
        raise ValueError("no such cell")
    return value
