"""``torchgrade new``."""

from __future__ import annotations

from pathlib import Path

import click


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
    from torchgrade.authoring import new_exercise  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.course import find_course  # noqa: PLC0415

    course = find_course(folder)
    known = assignment in course.assignment_names()
    for path in new_exercise(course, assignment, exercise, kind=kind):
        click.echo(str(path.relative_to(course.root)) if path.is_relative_to(course.root) else str(path))
    if known:
        click.echo(f"{exercise} stands at the notebook's end. Name it in the table of the introduction, too.")
    click.echo(f"It works as it is: torchgrade audit {assignment} --exercise {exercise}. Now make it yours, file by file.")
