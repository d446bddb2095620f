"""``torchgrade feedback``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, quietly


@click.command("feedback", short_help="Write a page for each student who is graded.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], students: tuple[str, ...], quiet: bool) -> None:
    """Write a page for each student whose submission of ASSIGNMENT is graded."""
    course = course_at(folder)
    from torchgrade.cli.feedback import write_pages

    write_pages(course, assignments, students, quiet=quiet)
