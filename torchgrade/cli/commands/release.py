"""``torchgrade release``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, on_device, quietly


@click.command("release", short_help="Check an assignment and write what students get.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@on_device
@click.option("--no-audit", is_flag=True, help="Release without an audit of the graders; the release's log says so.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], no_audit: bool, quiet: bool) -> None:
    """Check ASSIGNMENT (audit, points, leaks, text) and write what students get to release/."""
    course = course_at(folder)
    from torchgrade.cli.release import release_assignments

    release_assignments(course, assignments, audit=not no_audit, quiet=quiet)
