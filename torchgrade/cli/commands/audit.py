"""``torchgrade audit``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, judges_at_once, on_device, quietly


@click.command("audit", short_help="Grade the graders: right answers pass, wrong ones fail.")
@click.argument("assignments", metavar="[ASSIGNMENT...]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All assignments whose kept audit is not current.")
@click.option(
    "--check", is_flag=True, help="Run nothing: say which audits are not those of what is there now; exit with 1 if any."
)
@click.option(
    "--sample", is_flag=True, help="The reference and two wrong answers of each exercise, where the engine is another one."
)
@click.option("--exercise", "-e", "exercises", multiple=True, help="Only this exercise; may be given several times.")
@click.option("--repeat", "-n", "repeats", type=click.IntRange(1, 10_000), default=5, help="Runs of each solution, 5 by default.")
@click.option("--only", default="", help="Only solutions whose name holds this text.")
@click.option("--seed", type=int, help="Repeat a run: the seed stands in its line.")
@click.option("--no-mutants", is_flag=True, help="Leave out the mutants of the reference.")
@click.option("--quick", is_flag=True, help="Leave out races of wrong answers that no race is to catch; release wants them.")
@judges_at_once
@on_device
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this folder, not where audits are kept.")
@quietly
@click.pass_obj
def command(
    folder: Path,
    assignments: tuple[str, ...],
    everything: bool,
    check: bool,
    sample: bool,
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
    """Grade the graders of ASSIGNMENT: every right answer must pass, every wrong one fail as it should.

    What an audit found is kept, with digests of all that it rests on. It is current until the code of the notebook, the graders,
    the bank of solutions, torchgrade's engine or the limits change. --all audits what is not current. --check and --sample are
    for an unattended check of each change: they look at all assignments where none is named, and keep nothing.
    """
    _require_sense(assignments, everything=everything, check=check, sample=sample)
    if len(assignments) > 1 and (exercises or only or seed is not None):
        raise click.UsageError("--exercise, --only and --seed choose within one ASSIGNMENT; a second one does not go with them")
    course = course_at(folder)
    from torchgrade.audit import Choice
    from torchgrade.cli.audit import audit_assignments, audit_what_changed, check_audits, sample_assignments

    if check:
        check_audits(course, assignments)
        return
    if sample:
        sample_assignments(course, assignments, workers=workers, quiet=quiet)
        return
    choice = Choice(exercises, only, 1 if seed is not None else repeats, seed, mutants=not no_mutants, quick=quick)
    if everything:
        audit_what_changed(course, choice, workers=workers, quiet=quiet)
    else:
        audit_assignments(course, assignments, choice, workers=workers, output=output, quiet=quiet)


def _require_sense(assignments: tuple[str, ...], *, everything: bool, check: bool, sample: bool) -> None:
    """Raise :class:`click.UsageError` for words that do not go together."""
    if check and sample:
        raise click.UsageError("--check runs nothing and --sample grades a few: give one of them")
    if everything and assignments:
        raise click.UsageError("--all means all assignments: name some, or give --all")
    if not (assignments or everything or check or sample):
        raise click.UsageError("name an ASSIGNMENT, or give --all")
