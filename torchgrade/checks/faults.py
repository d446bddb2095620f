"""Everything that can go wrong between the judge and a student's code, and whose fault each is.

    StudentFault        the submission's failure: the check fails, with this text
    ├── Raised          their code raised
    ├── Died            their process ended: exit, signal, out of memory
    ├── TimedOut        no answer within the limit
    ├── BadAnswer       an answer that is not data, or not of the kind that was asked for
    └── NotDefined      the notebook does not define the name
    SandboxError        ours: no jail on this machine, a worker that was lost; the check is ungraded

This module can be imported everywhere (no Linux, no jail): ``check()`` in a student's notebook raises the same errors.
"""

from __future__ import annotations

import dataclasses
import re

from torchgrade.errors import TorchgradeError


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A line of the student's own code: the cell it is in, its number there (from 1), and its text."""

    cell: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.cell}, line {self.number}: {self.text}"


class StudentFault(Exception):
    """The submission's own failure. ``str()`` is written for the student; ``slip`` is the kind of failure in a word."""

    slip = "failed"
    place = ""
    """The line of the student's code where it went wrong, if that is known: ``cell 7, line 3``."""
    hint = ""
    """A sentence from the check that made the call, for when the exception's own text says too little."""


class Raised(StudentFault):
    """The student's code raised an exception: the name of its type, its text, and where in their cells it happened.

    ``probe`` is the line of a grader's probe that raised it, unless a line of theirs came after that. It is known only by the
    word of the process that ran both.
    """

    def __init__(self, kind: str, text: str, lines: tuple[Line, ...] = (), *, probe: Line | None = None) -> None:
        text, lines = _out_of_a_worker(kind, text, lines)
        self.kind, self.text, self.lines, self.probe = kind, text, lines, probe
        where = f" ({lines[-1]})" if lines else ""
        self.slip = "raised"
        self.place = f"{lines[-1].cell}, line {lines[-1].number}" if lines else ""
        # torch raises the same type for an operation that it lacks; in a stub, the stub's own last line raises it by name.
        if kind == "NotImplementedError" and lines and lines[-1].text.startswith("raise NotImplementedError"):
            self.slip = "not written"
            super().__init__(f"This is not written yet{where}")
        else:
            super().__init__(f"Your code raised {kind}{': ' if text else ''}{text}{where}")


_IN_A_WORKER = re.compile(r"Caught \w+ in (DataLoader worker process \d+)\.\nOriginal Traceback [^\n]*\n(.*)", re.DOTALL)
_OWN_FRAME = re.compile(r'^  File "([^/<"][^"]*)", line (\d{1,9}), in .*\n +(.*)', re.MULTILINE)


def _out_of_a_worker(kind: str, text: str, lines: tuple[Line, ...]) -> tuple[str, tuple[Line, ...]]:
    """Return text and lines of an error without the traceback that torch puts into the text if a DataLoader's worker raised it.

    The last frame in that traceback that is in a cell becomes the last of the lines.
    """
    if (match := _IN_A_WORKER.match(text)) is None:
        return text, lines
    worker, trace = match.groups()
    named = list(re.finditer(rf"^(?:[\w.]+\.)?{re.escape(kind)}(?:: |$)", trace, re.MULTILINE))
    said = trace[named[-1].end() :].strip() if named else ""
    frames = [Line(cell, int(number), code) for cell, number, code in _OWN_FRAME.findall(trace)]
    return f"{said} (in {worker})".strip(), (*lines, *frames[-1:])


class Died(StudentFault):
    """The process that ran the student's code is gone."""

    slip = "died"


class TimedOut(StudentFault):
    """No answer came within the limit."""

    slip = "timed out"


class BadAnswer(StudentFault):
    """The answer is not data of the expected kind."""

    slip = "bad answer"


class NotDefined(StudentFault):
    """The notebook does not define what the check asks for (``name``), or defines something else under that name."""

    slip = "not defined"

    def __init__(self, text: str, name: str = "") -> None:
        self.name = name
        super().__init__(text)


class SandboxError(TorchgradeError):
    """Our failure, never the student's. ``str()`` is one line for the instructor."""


def with_article(type_name: str) -> str:
    """The name of a type as messages show it: ``a Tensor``, ``an int``, ``None``."""
    if type_name in ("NoneType", "None"):
        return "None"
    return f"{'an' if re.match('[aeio]|un(?!i)', type_name.lower()) else 'a'} {type_name}"
