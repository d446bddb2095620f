"""The work of ``torchgrade export``: marks as a CSV file for Canvas or Moodle, or a ``results.json`` a student for Gradescope.

Everybody who handed in is accounted for: a mark that is not of what was handed in last, or not final, is left out and named.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.handed_in import HandedIn
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook import exporters
from torchgrade.report.class_figures import Entry
from torchgrade.report.gradescope import gradescope_results
from torchgrade.report.text import one_line


def export_marks(course: Course, platform: str, path: Path, handed_in: HandedIn, *, quiet: bool) -> None:
    """Write the marks to ``path``, for one of :data:`exporters.EXPORTERS`; name those that are left out, and why."""
    known = {
        assignment: {entry.student: _why_not(entry, assignment) for entry in strategy_of(course).entries(assignment, students)}
        for assignment, students in handed_in.students.items()
    }
    for line in exporters.export_marks(course, platform, path, known, handed_in.only, known):
        click.echo(f"Still open, its cell is empty: {line}", err=True)
    teller(quiet=quiet)(str(path))


def export_results(course: Course, folder: Path, handed_in: HandedIn, *, quiet: bool) -> None:
    """Write the files below ``folder``. Raises :class:`CourseError` that names those that are left out, once the others are."""
    tell, left_out = teller(quiet=quiet), []
    for assignment, students in handed_in.students.items():
        for entry in strategy_of(course).entries(assignment, students):
            if entry.record is None:
                left_out.append(f"{entry.student}/{assignment} ({_why_not(entry, assignment)})")
                continue
            path = folder / entry.student / assignment / "results.json"
            try:
                make_folder(path.parent)
                write_whole(path, json.dumps(gradescope_results(entry.record, entry.mark), indent=1), mode=MARKS)
            except OSError as error:
                raise CourseError(f"cannot write {path}: {error.strerror or error}") from error
            tell(str(path))
    if left_out:
        raise CourseError(f"not written: {', '.join(left_out)}")


def _why_not(entry: Entry, assignment: str) -> str:
    """Why the gradebook's mark, if there is one, is not of what was handed in last; empty where it is."""
    if entry.record is None:
        what = "handed in again since it was graded" if entry.again else "not graded yet"
        return f"{what}: torchgrade grade {assignment}"
    if not entry.record.readable:
        return one_line(": ".join([exporters.NOT_READABLE, *entry.record.problems[:1]]))
    return ""
