"""``torchgrade history``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at


@click.command("history", short_help="Show every mark that a submission had, and what changed.")
@click.argument("assignment")
@click.option("--student", "-s", required=True, help="Whose submission.")
@click.option("--json", "as_json", is_flag=True, help="Print all the records, oldest first.")
@click.pass_obj
def command(folder: Path, assignment: str, student: str, as_json: bool) -> None:
    """Show every mark that a student's submission of ASSIGNMENT had: when it was given, and what had changed.

    In a classic course: of the whole submission, then of its exercises with checks, if it has some.
    """
    course = course_at(folder)
    from torchgrade.cli.history import print_history

    print_history(course, assignment, student, as_json=as_json)
