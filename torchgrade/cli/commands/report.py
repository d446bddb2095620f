"""``torchgrade report``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, quietly


@click.command("report", short_help="Write a page about the class.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file, not results/reports/ASSIGNMENT.html.")
@click.option("--anonymous", is_flag=True, help="Pseudonyms instead of names, the same ones each time, and no links.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], output: Path | None, anonymous: bool, quiet: bool) -> None:
    """Write a page about the class: marks, checks, and who passed which, for each ASSIGNMENT."""
    chosen = tuple(dict.fromkeys(assignments))
    if output is not None and len(chosen) > 1:
        raise click.UsageError(f"--output is one file and goes with one ASSIGNMENT; there are {len(chosen)}: leave it out")
    course = course_at(folder)
    from torchgrade.cli.report import write_pages

    write_pages(course, chosen, output, anonymous=anonymous, quiet=quiet)
