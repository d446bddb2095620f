"""Every grading that a submission of a classic course has had: ``results/<student>/<assignment>.gradings.jsonl``, a line each.

What the marks rested on is kept as digests. ``torchgrade history`` tells from them what had changed. ``torchgrade watch`` counts
the gradings, and does not try again what has failed, unless the fault was ours: then it does, at longer and longer intervals.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
import json
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from torchgrade.checks.faults import SandboxError
from torchgrade.errors import cannot
from torchgrade.files import append_line
from torchgrade.record import RecordError, digest, what_changed
from torchgrade.runs.watching import new_hand_ins


@dataclasses.dataclass(frozen=True, slots=True)
class Basis:
    """Digests of what marks rest on. ``record``: what checks gave; empty if there are none."""

    submitted: str
    assignment: str
    settings: str
    record: str = ""

    @property
    def stamp(self) -> str:
        """One digest of all of them."""
        return digest(*dataclasses.astuple(self))


@dataclasses.dataclass(frozen=True, slots=True)
class Grading:
    """The marks that a submission got, when (ISO 8601, UTC), and what they rested on; or why it got none."""

    graded_at: str
    basis: Basis
    points: float = 0.0
    max_points: float = 0.0
    problem: str = ""
    ours: bool = False
    """True if this machine failed, not the submission."""


class Gradings:
    """The gradings of one course, below its folder of results."""

    def __init__(self, results: Path) -> None:
        self._results = results

    def add(
        self,
        student: str,
        assignment: str,
        basis: Basis,
        points: float,
        max_points: float,
        problem: str = "",
        *,
        ours: bool = False,
    ) -> None:
        """Append a grading that has just ended. Raises :class:`RecordError` if the disk refuses."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        line = json.dumps(dataclasses.asdict(Grading(now, basis, points, max_points, problem, ours)))
        path = self._path(student, assignment)
        with cannot(f"write to {path}", RecordError):
            append_line(path, line)

    def of(self, student: str, assignment: str) -> list[Grading]:
        """Return the gradings of one submission, oldest first; a line that was cut off does not count."""
        try:
            lines = self._path(student, assignment).read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            return []
        return list(_read(lines))

    def failures(self, student: str, assignment: str, basis: Basis) -> list[Grading]:
        """Return the last gradings in a row that gave no marks for what is there now, oldest first."""
        last = self.of(student, assignment)[::-1]
        return list(itertools.takewhile(lambda grading: grading.problem and grading.basis == basis, last))[::-1]

    def times(self, student: str, assignment: str) -> list[dt.datetime]:
        """Return when each new submission was first graded; grading the same one again is the instructor's doing."""
        return new_hand_ins((grading.basis.submitted, grading.graded_at) for grading in self.of(student, assignment))

    def _path(self, student: str, assignment: str) -> Path:
        return self._results / student / f"{assignment}.gradings.jsonl"


def is_ours(error: Exception) -> bool:
    """Return whether an error that ended a grading says nothing about the submission: no jail, a full disk, a lost worker."""
    return isinstance(error, SandboxError | BrokenProcessPool | OSError)  # TimeoutError and pebble's ProcessExpired are OSErrors


def gradings_text(gradings: Sequence[Grading]) -> str:
    """A line for each grading, oldest first: when, marks, what had changed since the last; below it, why there are no marks."""
    lines = []
    for before, grading in zip([None, *gradings], gradings, strict=False):
        marks = "not graded" if grading.problem else f"{grading.points:g} / {grading.max_points:g}"
        why = what_changed(dataclasses.asdict(before.basis) if before else None, dataclasses.asdict(grading.basis))
        lines.append(f"{grading.graded_at}  {marks:>11}  {why}")
        if grading.problem:
            lines.append(f"    {grading.problem}")
    return "\n".join(lines)


def _read(lines: Sequence[str]) -> Iterator[Grading]:
    for line in lines:
        try:
            data = json.loads(line)
            yield Grading(**{**data, "basis": Basis(**data["basis"])})
        except (ValueError, KeyError, TypeError):
            continue
