"""``torchgrade watch``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, judges_at_once, on_device, quietly


@click.command("watch", short_help="Grade submissions as they arrive, until Ctrl-C.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@judges_at_once
@on_device
@click.option("--once", is_flag=True, help="Look once, grade what is due, and end.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], workers: int | None, once: bool, quiet: bool) -> None:
    """Collect submissions of ASSIGNMENT as they arrive in the exchange, grade them and release their feedback, until Ctrl-C.

    Each student's newest submission, those with the fewest gradings first, and no more of a student's within an hour than
    c.Watch.gradings_per_hour says. It may be ended and started again at any time.
    """
    course = course_at(folder)
    from torchgrade.cli.watch import watch

    watch(course, assignments, workers, once=once, quiet=quiet)
