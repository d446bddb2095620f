"""A regrade that was stopped, and goes on: what it has done is not done again by the same command.

torchgrade grade A --regrade ──► results/.regrade-A-<of whom>.json: what each had before ──► removed at the end
                                         └── there already ──► whose records have changed since are done
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from torchgrade.course import Course
from torchgrade.files import MARKS, write_whole
from torchgrade.record import RecordError, digest


class Regrade:
    """One regrade of these students' submissions of an assignment. Raises :class:`RecordError` where it cannot be noted."""

    def __init__(self, course: Course, assignment: str, students: Iterable[str]) -> None:
        self._results, self._assignment = course.results, assignment
        now = {student: self._kept(student) for student in sorted(students)}
        # By its students: a regrade of one of them in between leaves that of the class as it is.
        self._path = course.results / f".regrade-{assignment}-{digest(*now)[:8]}.json"
        before = self._noted()
        self.goes_on = before is not None and before.keys() == now.keys()
        """True if a regrade of the same students was stopped, and this one goes on with it."""
        self._before = before if before is not None and self.goes_on else now
        if not self.goes_on:
            self._note()

    def has_record(self, student: str) -> bool:
        """Return whether this regrade has made the student's record, of checks."""
        return self._before[student][0] != self._kept(student)[0]

    def has_grading(self, student: str) -> bool:
        """Return whether this regrade has graded the whole submission, in a classic course."""
        return self._before[student][1] != self._kept(student)[1]

    def end(self) -> None:
        """Forget it: all of it is done."""
        self._path.unlink(missing_ok=True)

    def _kept(self, student: str) -> list[str]:
        """Digests of the student's record and of the list of gradings, as they are now."""
        folder = self._results / student
        return [_digest(folder / f"{self._assignment}{ending}") for ending in (".json", ".gradings.jsonl")]

    def _noted(self) -> Mapping[str, list[str]] | None:
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = json.loads(self._path.read_bytes())
            return {str(student): [str(record), str(gradings)] for student, (record, gradings) in found.items()}
        return None

    def _note(self) -> None:
        try:
            write_whole(self._path, json.dumps(self._before), mode=MARKS)
        except OSError as error:
            raise RecordError(f"cannot write {self._path}: {error.strerror or error}. Nothing was graded.") from error


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""
