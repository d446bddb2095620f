"""One submission in the jail: its cells are run once, each check gets a fork, and one remedy serves every failure.

    load          cells run in the notebook's process; one that hangs or ends it is left out, and the others run again
    begin_check   a fork of that process with a wire of its own   exchange   one request, one answer
    end_check     the keeper looks: is everything as it was after loading? If not (a process or file left over, the notebook's
                  process gone, threads that forbid a fork), the whole session is ended, and the next check loads the cells anew

What the worker says is checked for its form (numbers, order, time, size); what it means is for the proxy to judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import torch

from torchgrade.checks.faults import BadAnswer, Died, Raised, SandboxError, StudentFault
from torchgrade.jail import gpu_setup
from torchgrade.jail.budget import TimeBudget
from torchgrade.jail.check_process import CheckProcess
from torchgrade.jail.loading import CellError, Cells
from torchgrade.jail.protocol.failures import lost_context, may_be_the_gpus, raise_if_error
from torchgrade.jail.resources.process_tree import ProcessTree
from torchgrade.jail.running_cells import CellStopped, run_cells
from torchgrade.jail.session_processes import SessionProcesses
from torchgrade.jail.worker import WarmWorker

if TYPE_CHECKING:
    from torchgrade.jail.protocol.remote_student import Answering
    from torchgrade.notebook import DataFiles


class Session:
    """The judge's side of one submission. Use it as a context manager: leaving it ends every process of the submission.

    ``cells`` is the program in wire form, ``probes`` are the sources of the grader's probes, by module, and ``data`` are the
    files that the code finds where it runs. ``seconds`` bounds the time that the submission may keep the judge waiting in all.
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
        self._budget = TimeBudget(seconds, ours=gpu_setup.CONTEXT_SECONDS)
        self._processes: SessionProcesses | None = None
        self._check: CheckProcess | None = None
        self.printed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def cell_errors(self) -> list[CellError]:
        """The cells that raised, hung or ended the process, in order."""
        return self._cells.errors

    def load(self) -> None:
        """Run the cells, unless that has been done.

        Raises :class:`StudentFault` if they cannot be run within the limits, and :class:`SandboxError` if no cell was begun.
        """
        self._loaded()

    def _loaded(self) -> SessionProcesses:
        if self._cells.fault is not None:
            raise self._cells.fault.with_traceback(None)
        while self._processes is None:
            self._load_once()
        return self._processes

    def _load_once(self) -> None:
        """Start the processes and run the cells; if a cell stops them, it is left out, and the processes are ended."""
        limit = min(self._worker.bounds.cells_seconds, self._budget.require())  # raises before anything is started
        self._processes = SessionProcesses(self._worker, self._data, self._budget, self._cells.modules)
        try:
            run_cells(self._processes, self._cells, limit)
        except CellStopped as stopped:
            self._end_processes()
            seconds, more = self._worker.bounds.cells_seconds, self._budget.left > 0
            self._cells.leave_out(stopped.index, stopped.fault, seconds=seconds, more=more)
        except (SandboxError, StudentFault):
            self._end_processes()
            raise

    def begin_check(self) -> None:
        """Give the next check a process of its own."""
        self._begun()

    def _begun(self) -> CheckProcess:
        processes = self._loaded()
        try:
            self._check = CheckProcess(processes)
        except Died:
            self._worker.cut_off += 1
            self._end_processes()
            raise
        return self._check

    def end_check(self) -> None:
        """End the check's process, and the whole session if it is not as it was."""
        check, self._check = self._check, None
        if check is None:
            return
        check.close()
        if self._processes is not None and not (self._processes.forkable and self._processes.are_as_loaded()):
            self._end_processes()

    def exchange(
        self,
        request: dict[str, Any],
        tensors: list[torch.Tensor],
        seconds: float | None = None,
        answering: Answering | None = None,
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Send a request to the running check's process and return its answer; ``answering`` answers what it asks in between.

        Raises a :class:`StudentFault` for anything that is the submission's failure; after some of these, the session is ended.
        """
        check = self._check or self._begun()
        if request.get("context", {}).get("cuda"):
            self.set_up_gpu()
        if check.has_spoken():
            self._abandon()
            raise BadAnswer("The notebook's process answered before it was asked.")
        limit = min(seconds or self._worker.bounds.call_seconds, self._budget.require())
        try:
            answer, data = check.ask(request, tensors, limit, answering)
        except BaseException:  # whatever a function of the grader's raised: the process waits for something that will not come
            self._abandon()
            raise
        try:
            raise_if_error(answer)
        except Raised as fault:
            if lost_context(fault):  # the next call gets a process whose GPU works
                self._abandon()
            if may_be_the_gpus(fault) and self._worker.gpu is not None:
                self._require_gpu()
            raise
        return answer, data

    def set_up_gpu(self) -> None:
        """Have the check's process set up CUDA, on our time, not the submission's.

        Raises :class:`SandboxError` if that fails even without the submission, and otherwise its :class:`StudentFault`. Does
        nothing if there is no GPU to use.
        """
        if self._worker.gpu is None or (self._check is not None and self._check.has_cuda):
            return
        gpu_setup.require_no_hang(self._worker)
        check = self._check or self._begun()
        try:
            gpu_setup.set_up_cuda(check, self._budget, memory=self._worker.bounds.gpu_memory)
        except gpu_setup.CudaFailed as failed:
            self._abandon()
            if not len(self._cells):
                raise gpu_setup.works_for_nobody(self._worker, failed) from failed
            self._require_gpu()
            raise Died(f"The GPU could not be used in your notebook's process: {failed}") from failed

    def _require_gpu(self) -> None:
        """Raise :class:`SandboxError` if a notebook without any cell cannot use the GPU either."""
        with Session(self._worker, []) as empty:
            empty.set_up_gpu()

    def process_tree(self) -> ProcessTree:
        """Return the session's processes as seen from here; raise :class:`Died` until the check's process has answered."""
        if self._check is None:
            raise Died("Your code's process is gone.")
        return self._check.tree()

    def _abandon(self) -> None:
        if self._check is not None:
            self._check.close()
            self._check = None
        self._end_processes()

    def _end_processes(self) -> None:
        processes, self._processes = self._processes, None
        if processes is not None:
            try:
                processes.end()
            finally:
                self.printed = (self.printed + processes.output.text)[: self._worker.bounds.output]

    def end(self) -> None:
        """End every process of the submission."""
        self._abandon()
