"""``torchgrade solutions``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, quietly


@click.command("solutions", short_help="Write a page of right answers, for after the deadline.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write to this file, not results/solutions/ASSIGNMENT.html."
)
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], output: Path | None, quiet: bool) -> None:
    """Write a page for students: the reference of each exercise, and right answers whose docstrings have a line 'Why:'."""
    chosen = tuple(dict.fromkeys(assignments))
    if output is not None and len(chosen) > 1:
        raise click.UsageError(f"--output is one file and goes with one ASSIGNMENT; there are {len(chosen)}: leave it out")
    course = course_at(folder)
    from torchgrade.cli.solutions import write_solutions

    write_solutions(course, chosen, output, quiet=quiet)
