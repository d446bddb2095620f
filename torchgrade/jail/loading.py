"""The cells of a submission while they are loaded: which raised, which are left out, and when it is no use going on.

a cell raised                      noted; the others run all the same
a cell hung or ended the process   left out; the others run again, four times at most
after that                         a fault, the same for every check: what really happened, never a time that ran out later
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from torchgrade.checks.faults import StudentFault, TimedOut
from torchgrade.jail.protocol.failures import raised

_MOST_LEFT_OUT = 4
_USES_COMPILER = re.compile(
    r"optim|checkpoint|compile|dynamo|TorchDispatchMode|functorch|jac(rev|fwd)|hessian|\bjvp\b"
    r"|(torch\.|import )(func|export)\b|\bfunc\.(grad|vjp|linearize)"
)
"""Words that appear near code that imports torch's compiler at its first use, as optimizers and parts of ``torch.func`` do."""


@dataclasses.dataclass(frozen=True, slots=True)
class CellError:
    """A cell that did not run through: its place in the program, and what happened, for the student."""

    index: int
    grade_id: str | None
    message: str
    locked: bool = False
    """True for a cell of the course's own."""


class Cells:
    """The program in wire form, with the sources of the grader's probes, and what is known about each cell."""

    def __init__(self, cells: Sequence[Mapping[str, Any]], probes: Mapping[str, str]) -> None:
        self._cells = [dict(cell) for cell in cells]
        self._probes = dict(probes)
        self._left_out: dict[int, CellError] = {}
        self._raised: dict[int, CellError] = {}
        self.fault: StudentFault | None = None
        """Why they cannot be run at all."""

    def __len__(self) -> int:
        return len(self._cells)

    @property
    def errors(self) -> list[CellError]:
        """The cells that raised, hung or ended the process, in order."""
        return [error for _, error in sorted((self._raised | self._left_out).items())]

    @property
    def modules(self) -> list[str]:
        """Modules that the warm worker should import first: torch's compiler takes a second, which is not the submission's.

        This is a guess from words. If it is wrong, in each check the first optimizer, for example, takes a second of the call's
        time.
        """
        texts = [str(cell.get("python") or cell.get("source")) for cell in self._cells] + list(self._probes.values())
        return ["torch._dynamo"] if any(_USES_COMPILER.search(text) for text in texts) else []

    def program(self) -> dict[str, Any]:
        """Return what the notebook's process is sent."""
        return {"cells": self._cells, "skip": sorted(self._left_out), "probes": self._probes}

    def place(self, value: Any) -> int:
        """The cell that the worker means, by its word; raises ``ValueError`` if there is no such cell."""
        if type(value) is not int or not 0 <= value < len(self._cells):
            raise ValueError("no such cell")
        return value

    def take(self, errors: list[Any]) -> None:
        """Note that all cells ran and these raised. Raises ``ValueError``, ``KeyError`` or ``TypeError`` for a malformed list."""
        self._raised = {}
        for error in errors[: len(self._cells)]:
            index = self.place(error["cell"])
            self._raised[index] = self._error(index, str(raised(error)))

    def leave_out(self, index: int, fault: StudentFault, *, seconds: float, more: bool) -> None:
        """Note that a cell hung for ``seconds`` or ended the process. Raises the fault for good if there is no time for more."""
        message = str(fault)
        if isinstance(fault, TimedOut):
            message = f"This cell did not end within {seconds:g} s; it was left out."
        if index in self._left_out or len(self._left_out) >= _MOST_LEFT_OUT or not more:
            self.fault = type(fault)(f"The cells of your notebook could not be run, the last one for this reason: {message}")
            raise self.fault
        self._left_out[index] = self._error(index, message)

    def _error(self, index: int, message: str) -> CellError:
        cell = self._cells[index]
        return CellError(index, cell["grade_id"], message, locked=cell.get("locked", False))
