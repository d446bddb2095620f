"""The work of ``torchgrade release``: assignments checked and written for students."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import click

from torchgrade.audit import Choice, standing
from torchgrade.cli.audit import run_audit
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.gradebook import release
from torchgrade.gradebook.cells import has_checks
from torchgrade.gradebook.handout import require_fit


def release_assignments(course: Course, assignments: Sequence[str], *, audit: bool, quiet: bool) -> None:
    """Release each assignment; one that has checks after an audit, unless an earlier one holds or there is to be none."""
    tell = teller(quiet=quiet)
    for assignment in assignments:
        course.require_assignment(assignment)
    for assignment in assignments:
        checked = has_checks(course, assignment)
        if checked:
            require_fit(course, assignment)
        if checked and audit and not standing(course, assignment).is_current:
            _audit(course, assignment, quiet=quiet)
        audited = "not audited (--no-audit)" if not audit else "audited: no problems" if checked else "no checks to be audited"
        lines = [*release(course, assignment), audited]
        _log(course, assignment, lines)
        for line in lines:
            tell(line)


def _audit(course: Course, assignment: str, *, quiet: bool) -> None:
    document = run_audit(course, assignment, Choice(), quiet=quiet)
    count = sum(len(exercise["problems"]) for exercise in document["exercises"])
    if count:
        raise click.ClickException(
            f"not released: the audit of {assignment} found {count} problems. Mend them, or release it as it is with --no-audit."
        )


def _log(course: Course, assignment: str, lines: list[str]) -> None:
    """One line a release: when, what, and whether it was audited."""
    when = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    path = course.results / "releases.log"
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{when} {assignment}: {'; '.join(lines)}\n")
    except OSError as error:
        raise CourseError(f"{assignment} is released, but cannot write {path}: {error.strerror or error}") from error
