"""Points and comments that people gave, kept once more beside the records: a gradebook that is made anew has them again.

    gradebook.db ──whenever marks are entered──► results/by-hand/<assignment>.json ──► a student new to the gradebook

The gradebook decides: what it has of a student replaces the copy, and the copy is looked at only where it has nothing.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from nbgrader.api import BaseCell, Comment, Grade, Notebook, SubmittedAssignment

from torchgrade.course import Course
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook.marks import cell_entries
from torchgrade.gradebook.store import OpenGradebook, of_assignment
from torchgrade.record import RecordError

Given = dict[str, dict[str, Any]]
"""By notebook and cell, ``small/essay``: the columns of a grade, and the comment."""


class HandCopy:
    """The copy for one assignment, of the gradebook that is open."""

    def __init__(self, course: Course, assignment: str, book: OpenGradebook) -> None:
        self._assignment, self._book = assignment, book
        self.path = course.results / "by-hand" / f"{assignment}.json"
        self._kept = self._read()
        # Who has a row without any score was lost on the way: a run was stopped between handing in and scoring. Where there is
        # nothing to put back, nobody need be asked for.
        self._known = {
            student
            for student, cells in (cell_entries(book, assignment).items() if self._kept else ())
            if any(cell.auto is not None or cell.is_touched for cell in cells.values())
        }
        self.restored: list[str] = []
        """Students who got their points and comments back."""

    def restore(self, student: str) -> None:
        """Give a student whose marks are entered for the first time what the copy has; within :meth:`OpenGradebook.whole`.

        Points that were given to another answer than the one that is there now wait to be confirmed.
        """
        given = self._kept.get(student)
        if not given or student in self._known:
            return
        self._known.add(student)
        for place, (grade, comment) in self._rows(student):
            kept = given.get(place, {})
            if grade is not None and (kept.get("manual") is not None or kept.get("extra")):
                grade.manual_score, grade.extra_credit = kept.get("manual"), kept.get("extra")
                grade.needs_manual_grade = bool(kept.get("waits")) or grade.auto_score != kept.get("auto")
            if comment is not None and kept.get("comment"):
                comment.manual_comment = kept["comment"]
        self._book.db.commit()
        self.restored.append(student)

    def save(self) -> None:
        """Bring the copy up to date. Raises :class:`RecordError` where it cannot be written."""
        there = self._given()
        now = {**self._kept, **{student: given for student, given in there.items() if student in self._known or given}}
        now = {student: given for student, given in sorted(now.items()) if given}
        if now == self._kept:
            return
        try:
            make_folder(self.path.parent)
            write_whole(self.path, json.dumps(now, indent=1), mode=MARKS)
        except OSError as error:
            raise RecordError(f"cannot write {self.path}, the copy of points by hand: {error.strerror or error}") from error
        self._kept = now

    def _read(self) -> dict[str, Given]:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            found = json.loads(self.path.read_bytes())
            return {str(student): dict(given) for student, given in found.items()}
        return {}

    def _given(self) -> dict[str, Given]:
        """By student, for all whom the gradebook has: the cells to which a person gave points or a comment."""
        found: dict[str, Given] = {}
        for student, cells in cell_entries(self._book, self._assignment).items():
            found[student] = {
                "/".join(place): {"auto": cell.auto, "manual": cell.manual, "extra": cell.extra, "waits": cell.waits}
                for place, cell in cells.items()
                if cell.is_touched
            }
        query = (
            self._book.db.query(SubmittedAssignment.student_id, Notebook.name, BaseCell.name, Comment.manual_comment)
            .select_from(Comment)
            .join(BaseCell, BaseCell.id == Comment.cell_id)
            .filter(Comment.manual_comment.is_not(None))
        )
        try:
            for student, notebook, cell, comment in of_assignment(query, Comment.notebook_id, self._assignment):
                found.setdefault(student, {}).setdefault(f"{notebook}/{cell}", {})["comment"] = comment
        finally:
            self._book.db.remove()
        return found

    def _rows(self, student: str) -> Iterator[tuple[str, tuple[Grade | None, Comment | None]]]:
        for kind in (Grade, Comment):
            query = (
                self._book.db.query(kind, Notebook.name, BaseCell.name)
                .select_from(kind)
                .join(BaseCell, BaseCell.id == kind.cell_id)
            )
            for row, notebook, cell in of_assignment(query, kind.notebook_id, self._assignment, student).all():
                yield f"{notebook}/{cell}", (row, None) if kind is Grade else (None, row)
