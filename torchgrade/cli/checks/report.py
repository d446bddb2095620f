"""The records behind the class page of a course of checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchgrade.course import Course, Submission
from torchgrade.record import Record, Results, digest
from torchgrade.runs.reuse import read_submission


def class_records(course: Course, assignment: str, students: Iterable[str]) -> Iterator[tuple[str, Record | None, bool]]:
    """Yield each student's record; none, and true, where it is of an earlier hand-in alone."""
    results = Results(course.results)
    for student in students:
        record = results.read(student, assignment)
        again = record is not None and _is_newer(course, record)
        yield student, None if again else record, again


def _is_newer(course: Course, record: Record) -> bool:
    """Return whether what the student handed in is not what the record is about."""
    file = read_submission(course, Submission(record.assignment, record.student))
    return digest(file.data) != record.digests.notebook
