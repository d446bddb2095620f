"""The work of ``torchgrade history``: every mark that a submission had."""

from __future__ import annotations

import json

import click

from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.printing import shown
from torchgrade.course import Course, CourseError
from torchgrade.gradebook.marks import marks_of
from torchgrade.report.terminal import mark_text


def print_history(course: Course, assignment: str, student: str, *, as_json: bool) -> None:
    """Print it. Raises :class:`CourseError` where the submission is not there, or was never graded."""
    course.handed_in(assignment, [student])
    found = strategy_of(course).history(assignment, student)
    if not found.data and not found.damaged:
        raise CourseError(f"{student}'s submission of {assignment} was never graded: run torchgrade grade {assignment}")
    if found.data:
        click.echo(json.dumps(found.data, indent=1) if as_json else found.text)
    if not as_json and (mark := marks_of(course, assignment, [student]).get(student)) is not None:
        click.echo(mark_text(mark))
    if found.damaged:
        files = ", ".join(map(shown, found.damaged))
        raise CourseError(
            f"{files}: not a record that this version can read, so its marks are not in this history. If it is the current one, "
            f"torchgrade grade {assignment} grades the submission again"
        )
