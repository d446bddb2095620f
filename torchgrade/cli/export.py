"""``torchgrade export``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchgrade.cli.printing import quietly, teller

if TYPE_CHECKING:
    from torchgrade.course import Course, Submission


@click.command("export", short_help="Write the marks for Canvas, Moodle or Gradescope.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--to", type=click.Choice(["canvas", "moodle", "gradescope"]), required=True, help="For whom.")
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file; for Gradescope, the folder.")
@quietly
@click.pass_obj
def command(
    folder: Path, assignments: tuple[str, ...], to: str, students: tuple[str, ...], output: Path | None, quiet: bool
) -> None:
    """Write the marks of ASSIGNMENT for a learning platform: a CSV file, or a results.json a student for Gradescope."""
    from torchgrade.course import find_course  # noqa: PLC0415 - slow imports only where they are used

    course, tell = find_course(folder), teller(quiet=quiet)
    submissions = [each for assignment in assignments for each in course.handed_in(assignment, students)]
    if to == "gradescope" and not course.kind.whole_records:
        raise click.UsageError("--to gradescope is for courses of checks alone; canvas and moodle take the marks of every course")
    if to == "gradescope":
        _gradescope(course, submissions, output or Path("gradescope"), tell)
        return
    from torchgrade.gradebook.exporters import export_marks  # noqa: PLC0415

    path = output or Path(f"{to}.csv")
    from torchgrade.gradebook.by_hand import points_by_hand, why_open  # noqa: PLC0415

    waiting = {each: points_by_hand(course, each) for each in assignments} if course.kind.whole_records else {}
    for mark in export_marks(course, to, path, assignments, students):
        student, _, assignment = mark.partition("/")
        why = f" ({why_open(waiting[assignment], assignment, student)})" if assignment in waiting else ""
        click.echo(f"Still open, its cell is empty: {mark}{why}", err=True)
    tell(str(path))


def _gradescope(course: Course, submissions: list[Submission], folder: Path, tell: Callable[[str], None]) -> None:
    from torchgrade.course import CourseError  # noqa: PLC0415
    from torchgrade.files import MARKS, make_folder, write_whole  # noqa: PLC0415
    from torchgrade.record import Results  # noqa: PLC0415
    from torchgrade.report.gradescope import gradescope_results  # noqa: PLC0415

    results, missing = Results(course.results), []
    for assignment, student in submissions:
        record = results.read(student, assignment)
        if record is None:
            missing.append(f"{student}/{assignment}")
            continue
        path = folder / student / assignment / "results.json"
        try:
            make_folder(path.parent)
            write_whole(path, json.dumps(gradescope_results(record), indent=1), mode=MARKS)
        except OSError as error:
            raise CourseError(f"cannot write {path}: {error.strerror or error}") from error
        tell(str(path))
    if missing:
        raise CourseError(f"not graded yet: {', '.join(missing)}")
