"""nbgrader's step that runs a notebook, with the kernel in the jail and a limit on everything.

    a cell raises                                  as in nbgrader: its outputs say so, the next cell runs
    a cell takes too long                          its outputs say so first, and then where it was interrupted; the next cell runs
    the kernel ends, cannot be interrupted,
    prints without end, or takes too long in all   this cell's output says so, and so does that of each cell after it

nbgrader gives up on a submission whose kernel is lost. Here it is graded: what ran before counts, and no cell after that passes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbgrader.preprocessors import Execute

from torchgrade.course import Limits
from torchgrade.gradebook.nbgrader_course import handed_on
from torchgrade.kernels.provisioner import JailedKernelManager
from torchgrade.notebook.cells import exercise_among_tests

_new: Any = nbformat.v4  # its functions have no types
_NO_SECONDS = 0.001
NOT_RUN = "NotRun"
"""The name of the error in the outputs of cells that could not be run."""
TOO_LONG = "TookTooLong"
"""The name of the error in the outputs of cells that were interrupted."""


class ExecuteInJail(Execute):  # type: ignore[misc]  # nbgrader has no types
    """Run every cell in a kernel in the jail. Its settings are those of ``c.Execute`` and ``c.Limits``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("kernel_manager_class", JailedKernelManager)
        # Nobody looks at what the kernel would do at its end, and asking it politely takes most of a second.
        kwargs.setdefault("shutdown_kernel", "immediate")
        super().__init__(*args, **kwargs)
        self._own_timeout: Callable[[Any], float | None] | None = self.timeout_func
        self.set_trait("timeout_func", self._seconds_for)

    def preprocess(self, nb: Any, resources: Any, km: Any = None) -> tuple[Any, Any]:
        """Nbconvert's entry. Raises :class:`torchgrade.jail.SandboxError` if there is no jail, or no kernel for it."""
        # torchgrade's own converter has already run the cells, in one of its workers.
        executed = handed_on(resources).executed.get(resources.get("unique_key", ""))
        if executed is not None:
            return executed, resources
        limits = Limits(config=self.config)
        self._total, self._deadline = limits.submission_seconds, math.inf
        self._text_left, self._data_left = limits.output_kb << 10, limits.notebook_bytes
        self._limits, self._lost = limits, ""
        result: tuple[Any, Any] = super().preprocess(nb, resources, km)
        return result

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Run one cell, or say in its outputs why it was not run."""
        # A cell that calls check() gets its points from a record; in the kernel it would only use up the time of other cells.
        if cell.cell_type != "code" or not cell.source.strip() or exercise_among_tests(cell) is not None:
            return cell, resources
        if self._deadline == math.inf:  # counted from the first cell: students cannot help how long the kernel takes to start
            self._deadline = time.monotonic() + self._total
        if not self._lost and time.monotonic() > self._deadline:
            self._lose(self._in_all())
        if self._lost:
            cell.outputs = [not_run(f"This cell was not run: {self._lost}.")]
            return cell, resources
        self._until = math.inf
        try:
            result: tuple[Any, Any] = super().preprocess_cell(cell, resources, index)
        except DeadKernelError:
            self._lose(self._lost or f"the process that runs the notebook ended in cell {index + 1}{self._how()}")
        except CellTimeoutError:
            self._lose(f"cell {index + 1} took too long, and could not be interrupted")
        else:
            self._say_why_interrupted(cell)
            return result
        # First, so that it decides the score, whatever the cell printed before.
        cell.outputs.insert(0, not_run(f"{self._lost[0].upper()}{self._lost[1:]}."))
        return cell, resources

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Take one message from the kernel, as long as there is room for what it shows."""
        text, data = _sizes(msg["content"])
        self._text_left -= text
        self._data_left -= data
        if (self._text_left < 0 or self._data_left < 0) and msg["msg_type"] != "status":
            if not self._lost:
                limit = f"{self._limits.output_kb} KB of text (c.Limits.output_kb)"
                if self._data_left < 0:
                    limit = f"{self._limits.notebook_mb:g} MB of pictures and tables (c.Limits.notebook_mb)"
                self._lose(f"cell {cell_index + 1} put out more than {limit}")
            return None
        return super().process_message(msg, cell, cell_index)

    def _say_why_interrupted(self, cell: Any) -> None:
        """Put the time limit before the errors of an interrupted cell, which say no more than KeyboardInterrupt."""
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if not errors or time.monotonic() < self._until:
            return  # a cell that handled the interrupt itself has no error, if the course wants none
        why = self._in_all() if self._until >= self._deadline else f"this cell took longer than {self._seconds:g} s"
        first = cell.outputs.index(errors[0])
        # nbgrader's own error gives no reason, unless the course has set words of its own there.
        wordless = "" if self.error_on_timeout.get("evalue") else self.error_on_timeout.get("ename")
        after = [output for output in cell.outputs[first:] if output.get("ename") != wordless]
        cell.outputs[first:] = [_error(TOO_LONG, f"{why[0].upper()}{why[1:]}; it was interrupted."), *after]

    def _in_all(self) -> str:
        return f"the notebook took longer than {self._total:g} s in all (c.Limits.submission_seconds)"

    def _seconds_for(self, cell: Any) -> float:
        """How many seconds a cell may take: nbclient's ``timeout`` or the course's ``timeout_func``, but no more than is left."""
        left = max(self._deadline - time.monotonic(), _NO_SECONDS)
        own = self.timeout if self._own_timeout is None else self._own_timeout(cell)
        self._seconds = min(left, own) if own and own > 0 else left
        # As nbclient counts them, starting now.
        self._until = self._deadline if self._seconds == left else time.monotonic() + self._seconds
        return self._seconds

    def _lose(self, why: str) -> None:
        """End the kernel for this reason; code that waits for its answer will see that it is dead."""
        self._lost = why
        if (kernel := self._kernel()) is not None:
            kernel.end()

    def _how(self) -> str:
        kernel = self._kernel()
        status = kernel.poll() if kernel is not None else None
        if status is None or status == 0:
            return ""
        return f" (signal {-status}; perhaps it needed too much memory)" if status < 0 else f" (exit status {status})"

    def _kernel(self) -> Any:
        return getattr(getattr(self.km, "provisioner", None), "_kernel", None)


def not_run(text: str) -> Any:
    """The output of a cell that could not be run, or only in part."""
    return _error(NOT_RUN, text)


def _error(name: str, text: str) -> Any:
    return _new.new_output("error", ename=name, evalue=text, traceback=[text])


def _sizes(content: Any) -> tuple[int, int]:
    """Characters of text, and of everything else, that a message adds to the notebook."""
    text = len(str(content.get("text", ""))) + sum(len(str(line)) for line in content.get("traceback") or ())
    data = content.get("data")
    return text, sum(len(str(value)) for value in data.values()) if isinstance(data, dict) else 0
