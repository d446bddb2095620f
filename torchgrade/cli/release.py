"""``torchgrade release``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchgrade.cli.machine import on_device
from torchgrade.cli.printing import quietly, teller

if TYPE_CHECKING:
    from torchgrade.course import Course


@click.command("release", short_help="Check an assignment and write what students get.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@on_device
@click.option("--no-audit", is_flag=True, help="Release without an audit of the graders; the release's log says so.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], no_audit: bool, quiet: bool) -> None:
    """Check ASSIGNMENT (audit, points, leaks, text) and write what students get to release/."""
    from torchgrade.audit import holds  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.gradebook import release  # noqa: PLC0415
    from torchgrade.gradebook.exercises import has_checks  # noqa: PLC0415
    from torchgrade.gradebook.releasing import require_finished_text  # noqa: PLC0415

    course, tell = find_course(folder), teller(quiet=quiet)
    for assignment in assignments:
        course.require_assignment(assignment)
    for assignment in assignments:
        checked = has_checks(course, assignment)
        if checked:
            require_finished_text(course, assignment)
        if checked and not no_audit and not holds(course, assignment):
            _audit(course, assignment, quiet=quiet)
        audited = "not audited (--no-audit)" if no_audit else "audited: no problems" if checked else "no checks to be audited"
        lines = [*release(course, assignment), audited]
        _log(course, assignment, lines)
        for line in lines:
            tell(line)


def _audit(course: Course, assignment: str, *, quiet: bool) -> None:
    from torchgrade.audit import Choice  # noqa: PLC0415
    from torchgrade.cli.audit import run_audit  # noqa: PLC0415

    document = run_audit(course, assignment, Choice(), quiet=quiet)
    count = sum(len(exercise["problems"]) for exercise in document["exercises"])
    if count:
        raise click.ClickException(
            f"not released: the audit of {assignment} found {count} problems. Mend them, or release it as it is with --no-audit."
        )


def _log(course: Course, assignment: str, lines: list[str]) -> None:
    """One line a release: when, what, and whether it was audited."""
    from torchgrade.course import CourseError  # noqa: PLC0415

    when = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    path = course.results / "releases.log"
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{when} {assignment}: {'; '.join(lines)}\n")
    except OSError as error:
        raise CourseError(f"{assignment} is released, but cannot write {path}: {error.strerror or error}") from error
