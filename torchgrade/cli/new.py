"""The work of ``torchgrade new``: the skeleton of an exercise."""

from __future__ import annotations

import click

from torchgrade.authoring import new_exercise
from torchgrade.course import Course


def write_exercise(course: Course, assignment: str, exercise: str, *, kind: str) -> None:
    """Write the skeleton, and name its files; ``kind`` is ``function`` or ``class``."""
    known = assignment in course.assignment_names()
    for path in new_exercise(course, assignment, exercise, kind=kind):
        click.echo(str(path.relative_to(course.root)) if path.is_relative_to(course.root) else str(path))
    if known:
        click.echo(f"{exercise} stands at the notebook's end. Name it in the table of the introduction, too.")
    click.echo(f"It works as it is: torchgrade audit {assignment} --exercise {exercise}. Now make it yours, file by file.")
