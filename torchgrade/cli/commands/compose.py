"""``torchgrade compose``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at


@click.command("compose", short_help="Write a submission from solution files, to try things out.")
@click.argument("assignment")
@click.option("--exercise", "-e", "exercises", multiple=True, metavar="E=FILE", help="Put FILE into the solution cell of E.")
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The notebook to write.")
@click.pass_obj
def command(folder: Path, assignment: str, exercises: tuple[str, ...], output: Path) -> None:
    """Write a submission of ASSIGNMENT with the given files as solution cells, for trying things out."""
    course = course_at(folder)
    from torchgrade.cli.compose import compose_submission

    compose_submission(course, assignment, exercises, output)
