"""The entries behind the class page of a course of checks, and behind its exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchgrade.course import Course, Submission
from torchgrade.gradebook.marks import marks_in
from torchgrade.gradebook.store import reading_gradebook
from torchgrade.record import Record, Results, digest
from torchgrade.report.class_figures import Entry
from torchgrade.runs.reuse import read_submission


def entries(course: Course, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
    """Yield each student's record and mark; neither of them where they are of an earlier hand-in alone."""
    results = Results(course.results)
    records = {student: results.read(student, assignment) for student in students}
    with reading_gradebook(course) as book:
        marks = marks_in(book, assignment, records)
    for student, record in records.items():
        again = record is not None and _is_newer(course, record)
        yield Entry(student, None if again else record, again=again, in_book=marks.get(student))


def _is_newer(course: Course, record: Record) -> bool:
    """Return whether what the student handed in is not what the record is about."""
    file = read_submission(course, Submission(record.assignment, record.student))
    return digest(file.data) != record.digests.notebook
