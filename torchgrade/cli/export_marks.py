"""The work of ``torchgrade export --to canvas`` and ``--to moodle``: the gradebook's marks as a CSV file."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.printing import teller
from torchgrade.course import Course
from torchgrade.gradebook import exporters
from torchgrade.report.class_statistics import Entry
from torchgrade.report.text import one_line


def export_marks(
    course: Course, platform: str, path: Path, assignments: tuple[str, ...], students: tuple[str, ...], *, quiet: bool
) -> None:
    """Write the marks to ``path``; name those that are left out, and why."""
    strategy, known = strategy_of(course), {}
    for assignment in assignments:
        submissions = handed_in(course, (assignment,), students, tell=True)
        found = strategy.entries(assignment, [each.student for each in submissions])
        known[assignment] = {entry.student: _why_not(entry, assignment) for entry in found}
    for line in exporters.export_marks(course, platform, path, assignments, students, known):
        click.echo(f"Still open, its cell is empty: {line}", err=True)
    teller(quiet=quiet)(str(path))


def _why_not(entry: Entry, assignment: str) -> str:
    """Why the gradebook's mark, if there is one, is not of what was handed in last; empty where it is."""
    if entry.record is None:
        what = "handed in again since it was graded" if entry.again else "not graded yet"
        return f"{what}: torchgrade grade {assignment}"
    if not entry.record.readable:
        why = entry.record.problems[:1]
        return one_line(": ".join([exporters.NOT_READABLE, *why]))
    return ""
