"""The marks of an assignment as the gradebook has them: what checks and tests gave, and what a person changed.

    gradebook.db: a score a cell, late penalties ─┐
    results/<s>/<a>.json: what checks gave ───────┴─► Mark, one a student ──► tables, pages, exports

A record knows nothing of what is given in Formgrader: answers in words, plots, extra credit, points that a person changed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)

from torchgrade.course import Course
from torchgrade.errors import cannot
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook.store import OpenGradebook, of_assignment, reading_gradebook
from torchgrade.notebook.cells import CHECK
from torchgrade.record import Record, RecordError, Results
from torchgrade.report.mark import HandCell, Mark, Standing
from torchgrade.report.presentation import amount, open_points

Place = tuple[str, str]
"""A notebook and a grade cell in it, by name."""


@dataclasses.dataclass(frozen=True, slots=True)
class CellEntry:
    """The gradebook's entry for one grade cell of one submission; ``waits`` is nbgrader's *needs manual grade*."""

    max_points: float
    auto: float | None = None
    manual: float | None = None
    extra: float | None = None
    waits: bool = False

    @property
    def is_touched(self) -> bool:
        """True if a person gave or changed points."""
        return self.manual is not None or bool(self.extra)

    def points(self, auto: float | None) -> float:
        """The points, if checks or tests gave ``auto``, by nbgrader's own rule: what a person gave takes precedence."""
        given = self.manual if self.manual is not None else auto
        return 0.0 if given is None else given + (self.extra or 0.0)


def marks_of(course: Course, assignment: str, students: Iterable[str]) -> dict[str, Mark]:
    """The marks of these students, as :func:`marks_in` has them, with the records in ``results/``.

    Raises :class:`GradebookError` if the gradebook cannot be read.
    """
    results = Results(course.results)
    records = {student: results.read(student, assignment) for student in students}
    with reading_gradebook(course) as book:
        return marks_in(book, assignment, records)


def marks_in(book: Gradebook, assignment: str, records: Mapping[str, Record | None]) -> dict[str, Mark]:
    """The mark of each of these students who has a record that could be read, or an entry in the gradebook.

    The points of checks are taken from the record: the gradebook has the same, or will have them once it can be written.
    """
    one = next(iter(records)) if len(records) == 1 else ""
    entries, late = cell_entries(book, assignment, one), _late_penalties(book, assignment, one)
    unmarked = _cells_of(book, assignment)
    found = {}
    for student, record in records.items():
        own = entries.get(student)
        readable = record if record is not None and record.readable else None
        if own is not None or readable is not None:
            # A cell that was added after the submission was entered has no entry of its own yet.
            found[student] = _mark(readable, {**unmarked, **(own or {})}, late.get(student, 0.0))
    return found


def cell_entries(book: Gradebook, assignment: str, student: str = "") -> dict[str, dict[Place, CellEntry]]:
    """The entries of each student's cells; with ``student``, only that student's."""
    found: dict[str, dict[Place, CellEntry]] = {}
    try:
        for kind in (GradeCell, TaskCell):
            query = (
                book.db.query(
                    SubmittedAssignment.student_id,
                    Notebook.name,
                    kind.name,
                    kind.max_score,
                    Grade.auto_score,
                    Grade.manual_score,
                    Grade.extra_credit,
                    Grade.needs_manual_grade,
                )
                .select_from(Grade)
                .join(kind, kind.id == Grade.cell_id)
            )
            rows = of_assignment(query, Grade.notebook_id, assignment, student).order_by(Notebook.name, kind.name)
            for name, notebook, cell, worth, auto, manual, extra, waits in rows:
                found.setdefault(name, {})[notebook, cell] = CellEntry(worth, auto, manual, extra, bool(waits))
    finally:
        book.db.remove()
    return found


def why_open(mark: Mark, assignment: str) -> str:
    """Say why a mark is not final, and what to do about it."""
    if mark.standing is Standing.TO_CONFIRM:
        return "to be confirmed in Formgrader: it was graded again after a person had given points"
    if mark.standing is Standing.BY_HAND:
        return f"{amount(mark.waiting)} to be given by hand, in Formgrader"
    if mark.standing is Standing.PROVISIONAL:
        return f"some checks wait for a GPU: torchgrade grade {assignment} --only provisional, on a machine that has one"
    return f"some checks are not decided: torchgrade grade {assignment}"


def _late_penalties(book: Gradebook, assignment: str, student: str) -> dict[str, float]:
    query = (
        book.db.query(SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty)
        .select_from(SubmittedNotebook)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment)
    )
    if student:
        query = query.filter(SubmittedAssignment.student_id == student)
    late: dict[str, float] = {}
    try:
        for name, penalty in query:
            late[name] = late.get(name, 0.0) + (penalty or 0.0)
    finally:
        book.db.remove()
    return late


def _cells_of(book: Gradebook, assignment: str) -> dict[Place, CellEntry]:
    """The assignment's grade cells as they are before anything is entered."""
    found: dict[Place, CellEntry] = {}
    try:
        for kind in (GradeCell, TaskCell):
            query = (
                book.db.query(Notebook.name, kind.name, kind.max_score)
                .select_from(kind)
                .join(Notebook, Notebook.id == kind.notebook_id)
                .join(Assignment, Assignment.id == Notebook.assignment_id)
                .filter(Assignment.name == assignment)
                .order_by(Notebook.name, kind.name)
            )
            found |= {(notebook, cell): CellEntry(points, waits=True) for notebook, cell, points in query}
    finally:
        book.db.remove()
    return found


def _mark(record: Record | None, cells: Mapping[Place, CellEntry], late: float) -> Mark:
    exercises = {(record.assignment, e.name + CHECK): e for e in record.exercises} if record is not None else {}
    points = sum(e.points for place, e in exercises.items() if place not in cells)
    max_points = sum(e.max_points for place, e in exercises.items() if place not in cells)
    by_hand: list[float] = []
    waiting, to_confirm, of_hand = 0.0, False, []
    for place, cell in cells.items():
        exercise = exercises.get(place)
        auto = exercise.points if exercise is not None else cell.auto
        own = cell.points(auto)
        points += own
        max_points += cell.max_points
        to_confirm |= cell.waits and cell.manual is not None
        # A cell whose checks are open is flagged, too, but what it waits for is in the record.
        waits = cell.waits and cell.manual is None and exercise is None
        waiting += cell.max_points if waits else 0.0
        if cell.is_touched:
            by_hand.append(own - (auto or 0.0))
        if exercise is not None and cell.is_touched:
            of_hand.append(HandCell(exercise.name, by_hand[-1]))
        elif exercise is None and (waits or cell.is_touched):
            of_hand.append(HandCell(place[1], None if waits else own, cell.max_points))
    # What a person has decided is no longer open.
    undecided = [e for place, e in exercises.items() if place not in cells or cells[place].manual is None]
    standing = Standing(dataclasses.replace(record, exercises=tuple(undecided)).status) if record is not None else Standing.FINAL
    if standing is Standing.FINAL and (to_confirm or waiting):
        standing = Standing.TO_CONFIRM if to_confirm else Standing.BY_HAND
    return Mark(
        points=max(0.0, points - late),
        max_points=max_points,
        standing=standing,
        open_points=sum(map(open_points, undecided)),
        waiting=waiting,
        by_hand=sum(by_hand) if by_hand else None,
        late=late,
        cells=tuple(of_hand),
    )


# ---- a copy of the points and comments that people gave
#
# It is kept beside the records, so that a gradebook that is made anew gets them back.
#
#     gradebook.db ──whenever marks are entered──► results/by-hand/<assignment>.json ──► a student new to the gradebook
#
# The gradebook takes precedence: what it has of a student replaces the copy, which is used only if the gradebook has nothing.

Given = dict[str, dict[str, Any]]
"""By notebook and cell, as in ``small/essay``: the columns of a grade, and the comment."""


class HandCopy:
    """The copy for one assignment of the gradebook that is open."""

    def __init__(self, course: Course, assignment: str, book: OpenGradebook) -> None:
        self._assignment, self._book = assignment, book
        self.path = course.results / "by-hand" / f"{assignment}.json"
        self._kept = self._read()
        # A student with a row but no score was lost on the way: a run was stopped before it entered the scores. If there is
        # nothing to put back, there is no need to ask the gradebook.
        self._known = {
            student
            for student, cells in (cell_entries(book, assignment).items() if self._kept else ())
            if any(cell.auto is not None or cell.is_touched for cell in cells.values())
        }
        self.restored: list[str] = []
        """The students who got their points and comments back."""

    def restore(self, student: str) -> None:
        """If a student's marks are entered for the first time, add what the copy has; call it within :meth:`OpenGradebook.whole`.

        Points that were given to a different answer than the one that is there now have to be confirmed.
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
        """Bring the copy up to date. Raises :class:`RecordError` if it cannot be written."""
        there = self._given()
        now = {**self._kept, **{student: given for student, given in there.items() if student in self._known or given}}
        now = {student: given for student, given in sorted(now.items()) if given}
        if now == self._kept:
            return
        with cannot(f"write {self.path}, the copy of points by hand", RecordError):
            make_folder(self.path.parent)
            write_whole(self.path, json.dumps(now, indent=1), mode=MARKS)
        self._kept = now

    def _read(self) -> dict[str, Given]:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            found = json.loads(self.path.read_bytes())
            return {str(student): dict(given) for student, given in found.items()}
        return {}

    def _given(self) -> dict[str, Given]:
        """By student, for all students in the gradebook: the cells to which a person gave points or a comment."""
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
