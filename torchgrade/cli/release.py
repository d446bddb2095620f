"""``torchgrade release``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("release")
@click.argument("assignment")
@click.pass_obj
def command(folder: Path, assignment: str) -> None:
    """Check ASSIGNMENT (points, leaks) and write what students get to release/."""
    from torchgrade.course import find_course  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.gradebook import release  # noqa: PLC0415

    course = find_course(folder)
    for line in release(course, course.require_assignment(assignment)):
        click.echo(line)
