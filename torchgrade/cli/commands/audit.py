"""``torchgrade audit``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, judges_at_once, on_device, quietly


@click.command("audit", short_help="Grade the graders: right answers pass, wrong ones fail.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--exercise", "-e", "exercises", multiple=True, help="Only this exercise; may be given several times.")
@click.option("--repeat", "-n", "repeats", type=click.IntRange(1, 10_000), default=3, help="Runs of each solution, 3 by default.")
@click.option("--only", default="", help="Only solutions whose name holds this text.")
@click.option("--seed", type=int, help="Repeat a run: the seed stands in its line.")
@click.option("--no-mutants", is_flag=True, help="Leave out the mutants of the reference.")
@click.option("--quick", is_flag=True, help="Leave out races of wrong answers that no race is to catch; release wants them.")
@judges_at_once
@on_device
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this folder, not results/audits/.")
@quietly
@click.pass_obj
def command(
    folder: Path,
    assignments: tuple[str, ...],
    exercises: tuple[str, ...],
    repeats: int,
    only: str,
    seed: int | None,
    no_mutants: bool,
    quick: bool,
    workers: int | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Grade the graders of ASSIGNMENT: every right answer must pass, every wrong one fail as it should."""
    if len(assignments) > 1 and (exercises or only or seed is not None):
        raise click.UsageError("--exercise, --only and --seed choose within one ASSIGNMENT; a second one does not go with them")
    course = course_at(folder)
    from torchgrade.audit import Choice
    from torchgrade.cli.audit import audit_assignments

    choice = Choice(exercises, only, 1 if seed is not None else repeats, seed, mutants=not no_mutants, quick=quick)
    audit_assignments(course, assignments, choice, workers=workers, output=output, quiet=quiet)
