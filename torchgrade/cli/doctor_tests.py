"""The work of ``torchgrade doctor ASSIGNMENT``: which tests in its cells could become checks."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.authoring import find_tests
from torchgrade.course import find_course


def list_tests(folder: Path, assignment: str) -> None:
    """Print a line for each test."""
    found = find_tests(find_course(folder), assignment)
    for cell in found:
        what = f"no: {cell.obstacle}" if cell.obstacle else f"could become a check of {', '.join(cell.tests)}"
        click.echo(f"{cell.notebook}: {cell.name} ({cell.points:g} points): {what}")
    able = sum(not cell.obstacle for cell in found)
    if not found:
        click.echo(f"No tests stand in the cells of {assignment}.")
    elif able:
        click.echo(
            f"{able} of {len(found)} could become checks, which run apart from the student's code and cannot be beaten by it. "
            "torchgrade new ASSIGNMENT EXERCISE makes the place for one; docs/authoring.md goes on from there."
        )
