"""Marks for the gradebooks of learning platforms, as nbgrader's exporters: CSV that Canvas and Moodle import.

``torchgrade export A --to canvas`` and ``nbgrader export --exporter=torchgrade.gradebook.exporters.CanvasExporter`` do the same.

If a mark is still open (ungraded, provisional, to be given by hand, or to be confirmed), its cell is empty, which changes nothing
on import. The same holds for a student without a submission. Late penalties are taken off, as in nbgrader's own export.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from nbgrader.api import Gradebook, Student
from nbgrader.plugins import ExportPlugin

from torchgrade.course import Course, CourseError
from torchgrade.errors import cannot
from torchgrade.files import MARKS, write_whole
from torchgrade.gradebook.marks import marks_in, why_open
from torchgrade.gradebook.nbgrader_course import GradebookError, config_of, course_of
from torchgrade.gradebook.store import reading_gradebook
from torchgrade.record import Results
from torchgrade.report.mark import Standing
from torchgrade.report.presentation import number
from torchgrade.report.text import one_line

NOT_READABLE = "the file that was handed in cannot be read"
_FORMULA = ("=", "+", "-", "@")
"""Characters that begin a formula in a spreadsheet."""


Handed = Mapping[str, Mapping[str, str]]
"""For each assignment and each student who handed it in: why there is no mark to export; empty if there is one."""


class _TableExporter(ExportPlugin):  # type: ignore[misc]  # nbgrader has no types
    """A table with one row per student and one column per assignment.

    ``handed_in`` is what the caller knows; nbgrader's own command knows only what is in the gradebook.
    """

    default = "grades.csv"
    handed_in: Handed = MappingProxyType({})
    course: Course | None = None

    def export(self, gradebook: Gradebook) -> list[str]:
        """Write the table; return a line for each mark that is left out, with the reason."""
        names = list(self.assignment) or [assignment.name for assignment in gradebook.assignments]
        worth = {assignment.name: assignment.max_score for assignment in gradebook.assignments}
        if unknown := [name for name in names if name not in worth]:
            raise GradebookError(
                f"the gradebook does not know {', '.join(unknown)}; it has: {', '.join(sorted(worth)) or 'none'}"
            )
        students = {student.id: student for student in gradebook.students}
        # A student whose hand-in cannot be graded may not be in the gradebook yet.
        others = {student for known in self.handed_in.values() for student in known}
        students |= {student: Student(id=student) for student in others - students.keys()}
        chosen = [students[name] for name in sorted(students) if name in self.student or not self.student]
        cells: dict[tuple[str, str], str] = {}
        left_out: list[str] = []
        for name in names:
            for student, cell in self._column(gradebook, name, [student.id for student in chosen]):
                if isinstance(cell, float):
                    cells[student, name] = number(cell)
                else:
                    left_out.append(f"{student}/{name} ({cell})")
        rows = [[*self.who(student), *(cells.get((student.id, name), "") for name in names)] for student in chosen]
        _write(Path(self.to or self.default), [*self.head(names, [worth[name] for name in names]), *rows])
        return sorted(left_out)

    def _column(self, gradebook: Gradebook, assignment: str, students: Iterable[str]) -> Iterator[tuple[str, float | str]]:
        """Yield, for each of these students who handed in, the mark or the reason why it is left out."""
        results = Results((self.course or course_of(self)).results)
        records = {student: results.read(student, assignment) for student in students}
        marks, known = marks_in(gradebook, assignment, records), self.handed_in.get(assignment, {})
        for student, record in records.items():
            mark = marks.get(student)
            if why := known.get(student):
                yield student, why
            elif record is not None and not record.readable:
                yield student, NOT_READABLE
            elif mark is not None:
                yield student, mark.points if mark.standing is Standing.FINAL else why_open(mark, assignment)

    def head(self, names: list[str], worth: list[float]) -> list[list[str]]:
        """The rows above the students."""
        raise NotImplementedError

    def who(self, student: Student) -> list[str]:
        """The cells that say who a student is."""
        raise NotImplementedError


class CanvasExporter(_TableExporter):
    """A gradebook for Canvas. nbgrader's student name is Canvas's SIS Login ID; Canvas finds its own ID by that."""

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


def export_marks(
    course: Course,
    to: str,
    path: Path,
    assignments: Iterable[str],
    students: Iterable[str] = (),
    handed_in: Handed = MappingProxyType({}),
) -> list[str]:
    """Write the marks of these assignments for a platform of :data:`EXPORTERS`; return a line for each mark that is left out.

    Raises :class:`GradebookError` if the gradebook cannot be read, and :class:`CourseError` if the file cannot be written.
    """
    exporter = EXPORTERS[to](config=config_of(course))
    exporter.course, exporter.handed_in = course, handed_in
    exporter.to, exporter.assignment, exporter.student = str(path), list(assignments), list(students)
    with reading_gradebook(course) as book:
        left_out: list[str] = exporter.export(book)
    return left_out


def _text(value: str | None) -> str:
    """A cell of text that no spreadsheet takes for a formula."""
    text = one_line(value or "")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write(path: Path, rows: Iterable[list[str]]) -> None:
    """Write the file whole or not at all."""
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    with cannot(f"write {path}", CourseError):
        write_whole(path, table.getvalue(), mode=MARKS)
