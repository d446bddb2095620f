"""``torchgrade history``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click


@click.command("history", short_help="Show every mark that a submission had, and what changed.")
@click.argument("assignment")
@click.option("--student", "-s", required=True, help="Whose submission.")
@click.option("--json", "as_json", is_flag=True, help="Print all the records, oldest first.")
@click.pass_obj
def command(folder: Path, assignment: str, student: str, as_json: bool) -> None:
    """Show every mark that a student's submission of ASSIGNMENT had: when it was given, and what had changed.

    In a classic course: of the whole submission, then of its exercises with checks, if it has some.
    """
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.record import Results  # noqa: PLC0415
    from torchgrade.report.history import history_text  # noqa: PLC0415

    course = find_course(folder)
    course.handed_in(assignment, [student])
    records = Results(course.results).history(student, assignment)
    found: object = [record.to_json() for record in records]
    text = history_text(records)
    if course.kind.tests_in_cells:
        from torchgrade.classic.gradings import Gradings, gradings_text  # noqa: PLC0415

        gradings = Gradings(course.results).of(student, assignment)
        # nbgrader's own command leaves records of exercises, and no gradings.
        found = {"gradings": [dataclasses.asdict(each) for each in gradings], "records": found} if gradings or records else []
        parts = [gradings_text(gradings)] if gradings else []
        text = "\n".join([*parts, *(["Its exercises with checks:", text] if records else [])])
    if not found:
        raise CourseError(f"{student}'s submission of {assignment} was never graded: run torchgrade grade {assignment}")
    click.echo(json.dumps(found, indent=1) if as_json else text)
