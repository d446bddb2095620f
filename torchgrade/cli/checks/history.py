"""The history of a submission in a course of checks: its records."""

from __future__ import annotations

from torchgrade.cli.strategy import History
from torchgrade.course import Course
from torchgrade.record import Results
from torchgrade.report.terminal import history_text


def history(course: Course, assignment: str, student: str) -> History:
    """Return the records, oldest first, and the files among them that are not records."""
    results = Results(course.results)
    records = results.history(student, assignment)
    return History([record.to_json() for record in records], history_text(records), results.damaged(student, assignment))
