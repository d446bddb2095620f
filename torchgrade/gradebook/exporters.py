"""Marks for the gradebooks of learning platforms, as nbgrader's exporters: CSV that Canvas and Moodle import.

``torchgrade export A --to canvas`` and ``nbgrader export --exporter=torchgrade.gradebook.exporters.CanvasExporter`` do the same.

A mark that is still open (ungraded, provisional, or to be given by hand) has an empty cell, which changes nothing on import;
so has a student without a submission. Late penalties are taken off, as in nbgrader's own export.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from nbgrader.api import Gradebook, Student
from nbgrader.plugins import ExportPlugin
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.course import Course, CourseError
from torchgrade.files import MARKS, write_whole
from torchgrade.gradebook.errors import GradebookError, explain
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log
from torchgrade.gradebook.store import one_gradebook
from torchgrade.report.presentation import number
from torchgrade.report.text import one_line

_FORMULA = ("=", "+", "-", "@")
"""Characters that begin a formula in a spreadsheet."""


class _TableExporter(ExportPlugin):  # type: ignore[misc]  # nbgrader has no types
    """One row a student, one column an assignment."""

    default = "grades.csv"

    def export(self, gradebook: Gradebook) -> list[str]:
        """Write the table; ``student/assignment`` of each mark that is still open."""
        names = list(self.assignment) or [assignment.name for assignment in gradebook.assignments]
        worth = {assignment.name: assignment.max_score for assignment in gradebook.assignments}
        if unknown := [name for name in names if name not in worth]:
            raise GradebookError(
                f"the gradebook does not know {', '.join(unknown)}; it has: {', '.join(sorted(worth)) or 'none'}"
            )
        marks: dict[tuple[str, str], str] = {}
        still_open: list[str] = []
        for name in names:
            for submission in gradebook.assignment_submissions(name):
                if submission.needs_manual_grade:
                    still_open.append(f"{submission.student_id}/{name}")
                else:
                    mark = max(0.0, submission.score - submission.late_submission_penalty)
                    marks[submission.student_id, name] = number(mark)
        wanted = set(self.student)
        students = sorted((s for s in gradebook.students if not wanted or s.id in wanted), key=lambda student: student.id)
        rows = [[*self.who(student), *(marks.get((student.id, name), "") for name in names)] for student in students]
        _write(Path(self.to or self.default), [*self.head(names, [worth[name] for name in names]), *rows])
        return sorted(each for each in still_open if not wanted or each.partition("/")[0] in wanted)

    def head(self, names: list[str], worth: list[float]) -> list[list[str]]:
        """The rows above the students."""
        raise NotImplementedError

    def who(self, student: Student) -> list[str]:
        """The cells that say who a student is."""
        raise NotImplementedError


class CanvasExporter(_TableExporter):
    """A gradebook for Canvas. nbgrader's student is Canvas's SIS Login ID; Canvas finds its own ID by that."""

    def head(self, names: list[str], worth: list[float]) -> list[list[str]]:
        """The names of the columns, and the points possible."""
        who = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        return [[*who, *names], ["    Points Possible", "", "", "", "", *map(number, worth)]]

    def who(self, student: Student) -> list[str]:
        """``Last, First`` or the student's name in the course, and that name as the login."""
        parts = [_text(part) for part in (student.last_name, student.first_name) if part]
        return [", ".join(parts) or _text(student.id), "", "", _text(student.id), ""]


class MoodleExporter(_TableExporter):
    """A CSV file for Moodle's grade import; in Moodle, map ``username`` to the user name, or ``email`` to the address."""

    def head(self, names: list[str], worth: list[float]) -> list[list[str]]:  # noqa: ARG002 - Moodle has the maximum itself
        """The names of the columns."""
        return [["username", "email", "firstname", "lastname", *names]]

    def who(self, student: Student) -> list[str]:
        """All that nbgrader knows of a student."""
        return [_text(value) for value in (student.id, student.email, student.first_name, student.last_name)]


EXPORTERS = {"canvas": CanvasExporter, "moodle": MoodleExporter}


def export_marks(course: Course, to: str, path: Path, assignments: Iterable[str], students: Iterable[str] = ()) -> list[str]:
    """Write the marks of these assignments for a platform of :data:`EXPORTERS`; the marks that are still open.

    Raises :class:`GradebookError` where the gradebook cannot be read, and :class:`CourseError` where the file cannot be written.
    """
    config, (log, _) = config_of(course), quiet_log()
    coursedir = course_directory(config, log, "")
    exporter = EXPORTERS[to](config=config)
    exporter.to, exporter.assignment, exporter.student = str(path), list(assignments), list(students)
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id) as book:
            still_open: list[str] = exporter.export(book)
    except SQLAlchemyError as error:
        raise GradebookError(explain(error, coursedir.db_url)) from error
    return still_open


def _text(value: str | None) -> str:
    """A cell of text that no spreadsheet takes for a formula."""
    text = one_line(value or "")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write(path: Path, rows: Iterable[list[str]]) -> None:
    """Write the file whole or not at all."""
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    try:
        write_whole(path, table.getvalue(), mode=MARKS)
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror or error}") from error
