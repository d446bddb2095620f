"""The work of ``torchgrade export --to canvas`` and ``--to moodle``: the gradebook's marks as a CSV file."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.printing import teller
from torchgrade.course import Course
from torchgrade.gradebook import exporters
from torchgrade.gradebook.by_hand import points_by_hand, why_open


def export_marks(
    course: Course, platform: str, path: Path, assignments: tuple[str, ...], students: tuple[str, ...], *, quiet: bool
) -> None:
    """Write the marks to ``path``; name those that are still open, and why where records tell."""
    waiting = {each: points_by_hand(course, each) for each in assignments} if course.kind.whole_records else {}
    for mark in exporters.export_marks(course, platform, path, assignments, students):
        student, _, assignment = mark.partition("/")
        why = f" ({why_open(waiting[assignment], assignment, student)})" if assignment in waiting else ""
        click.echo(f"Still open, its cell is empty: {mark}{why}", err=True)
    teller(quiet=quiet)(str(path))
