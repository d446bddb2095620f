"""``torchgrade audit``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchgrade.cli.machine import judges_at_once, on_device, workers_for
from torchgrade.cli.printing import quietly, teller

if TYPE_CHECKING:
    from torchgrade.audit import Choice
    from torchgrade.course import Course
    from torchgrade.record.audits import AuditDocument


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
    from torchgrade.audit import Choice  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.course import find_course  # noqa: PLC0415

    if len(assignments) > 1 and (exercises or only or seed is not None):
        raise click.UsageError("--exercise, --only and --seed choose within one ASSIGNMENT; a second one does not go with them")
    course = find_course(folder)
    for assignment in assignments:
        course.require_assignment(assignment)
    choice = Choice(exercises, only, 1 if seed is not None else repeats, seed, mutants=not no_mutants, quick=quick)
    found = 0
    for assignment in dict.fromkeys(assignments):
        document = run_audit(course, assignment, choice, workers=workers, output=output, quiet=quiet)
        found += sum(len(exercise["problems"]) for exercise in document["exercises"])
    if found:
        raise SystemExit(1)


def run_audit(
    course: Course,
    assignment: str,
    choice: Choice,
    *,
    workers: int | None = None,
    output: Path | None = None,
    quiet: bool = False,
) -> AuditDocument:
    """Audit, print (``quiet``: problems alone), keep; the document. Raises :class:`CourseError` where it cannot be kept."""
    from torchgrade.audit import audit, audit_folder, digest_of, keep  # noqa: PLC0415
    from torchgrade.course import CourseError  # noqa: PLC0415
    from torchgrade.report import audit_page, print_audit  # noqa: PLC0415

    digest = digest_of(course, assignment)
    with click.progressbar(length=1, label="auditing", file=io.StringIO() if quiet else None) as bar:

        def on_progress(done: int, everything: int) -> None:
            bar.length = everything
            bar.update(done - bar.pos)

        result = audit(
            course,
            assignment,
            choice,
            workers=workers_for(course, (assignment,), workers),
            digest=digest,
            on_progress=on_progress,
        )
    document = result.to_json()
    print_audit(document, problems_only=quiet)
    if result.complete or output is not None:
        target = output or audit_folder(course)
        try:
            written = keep(document, target), keep_page(audit_page(document), target, assignment)
        except OSError as error:
            raise CourseError(f"cannot write {error.filename or target}: {error.strerror or error}") from error
        teller(quiet=quiet)(f"written: {written[0]} and {written[1]}")
    return document


def keep_page(page: str, folder: Path, assignment: str) -> Path:
    """Write the page beside the document; where it is. Raises :class:`OSError`."""
    from torchgrade.files import write_whole  # noqa: PLC0415

    path = folder / f"{assignment}.html"
    write_whole(path, page)
    return path
