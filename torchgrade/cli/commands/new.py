"""``torchgrade new``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at


@click.command("new", short_help="Write a working skeleton of an exercise.")
@click.argument("assignment")
@click.argument("exercise")
@click.option(
    "--kind",
    type=click.Choice(["function", "class"]),
    default="function",
    show_default=True,
    help="What students write. The skeleton of a class has buffers, a state_dict, and checks that use objects of it.",
)
@click.pass_obj
def command(folder: Path, assignment: str, exercise: str, kind: str) -> None:
    """Write a working skeleton of EXERCISE: a stub in the notebook of ASSIGNMENT, its graders and its bank of solutions.

    A new ASSIGNMENT gets a notebook; one that is there already gets the new cells at its end.
    """
    course = course_at(folder)
    from torchgrade.cli.new import write_exercise

    write_exercise(course, assignment, exercise, kind=kind)
