"""Parts that the commands' output shares: lines that ``--quiet`` leaves out, how a path is shown, the end of a table of marks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from torchgrade.course import Course
from torchgrade.report.terminal import State, summary_line


def teller(*, quiet: bool, err: bool = False) -> Callable[[str], None]:
    """Prints a line; nothing where the command is to be quiet."""
    return (lambda _: None) if quiet else functools.partial(click.echo, err=err)


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 submission``, ``2 submissions``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown(path: Path) -> str:
    """A path as seen from the working folder where it lies below that; in full where it does not."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def print_summary(course: Course, states: Mapping[str, Mapping[str, State]]) -> None:
    """Print a line an assignment on how its class stands, then the commands that come next and where their pages will lie.

    ``states``: by assignment and student. What scrolled away above a long table is said here again.
    """
    click.echo()
    for assignment, students in states.items():
        click.echo(summary_line(assignment, students))
    names = " ".join(states)
    one = len(states) == 1
    found = {state for students in states.values() for state in students.values()}
    several = names if one else "ASSIGNMENT"
    following = []
    if State.MANUAL in found or State.TO_CONFIRM in found:
        following.append(("jupyter lab", "Formgrader, for what is graded by hand"))
    if State.PROVISIONAL in found and course.kind.whole_records:
        following.append((f"torchgrade grade {names} --only provisional", "on a machine with a GPU"))
    following.append((f"torchgrade feedback {names}", f"a page a student: {shown(course.feedback)}/STUDENT/{several}/"))
    following.append((f"torchgrade report {names}", f"the class: {shown(course.results / 'reports')}/{several}.html"))
    width = max(len(command) for command, _ in following)
    for command, what in following:
        click.echo(f"  {command:<{width}}  {what}")
