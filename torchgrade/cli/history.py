"""``torchgrade history``."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command("history")
@click.argument("assignment")
@click.option("--student", "-s", required=True, help="Whose submission.")
@click.option("--json", "as_json", is_flag=True, help="Print all the records, oldest first.")
@click.pass_obj
def command(folder: Path, assignment: str, student: str, as_json: bool) -> None:
    """Show every mark that a student's submission of ASSIGNMENT had: when it was given, and what had changed."""
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.record import Results  # noqa: PLC0415
    from torchgrade.report.history import history_text  # noqa: PLC0415

    course = find_course(folder)
    course.handed_in(assignment, [student])
    records = Results(course.results).history(student, assignment)
    if not records:
        raise CourseError(f"{student}'s submission of {assignment} was never graded: run torchgrade grade {assignment}")
    click.echo(json.dumps([record.to_json() for record in records], indent=1) if as_json else history_text(records))
