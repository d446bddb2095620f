"""``torchgrade grade``."""

from __future__ import annotations

import contextlib
import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchgrade.cli.class_runs import end, ending_in_order, take_turn
from torchgrade.cli.machine import judges_at_once, on_device, workers_for

if TYPE_CHECKING:
    from torchgrade.course import Course, Submission
    from torchgrade.runs import ClassRun


@click.command("grade")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@judges_at_once
@on_device
@click.option("--notebook", type=click.Path(path_type=Path), help="Grade this one file, without the gradebook.")
@click.option("--json", "as_json", is_flag=True, help="With --notebook: print the record.")
@click.option("--seed", type=int, help="With --notebook: repeat a run; the seed stands in its record.")
@click.option("--check", "checks", multiple=True, help="With --notebook: only this check and what it needs; several times.")
@click.option("--ray", metavar="ADDRESS", help="Grade on the Ray cluster at ADDRESS, on all its processors or --workers of them.")
@click.option("--regrade", is_flag=True, help="Grade again what is graded already.")
@click.option(
    "--only",
    type=click.Choice(["ungraded", "provisional"]),
    help="Grade those again, and no others; of provisional ones, on a machine with a GPU, only what waits for it.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print problems only.")
@click.option("--unsafe-no-jail", is_flag=True, help="Run submissions without a jail, as you. Only for files you wrote yourself.")
@click.pass_obj
def command(
    folder: Path,
    assignments: tuple[str, ...],
    students: tuple[str, ...],
    workers: int | None,
    notebook: Path | None,
    as_json: bool,
    seed: int | None,
    checks: tuple[str, ...],
    ray: str | None,
    regrade: bool,
    only: str | None,
    quiet: bool,
    unsafe_no_jail: bool,
) -> None:
    """Grade what was handed in for ASSIGNMENT and is not graded yet, and record the marks."""
    if notebook is None and (as_json or seed is not None or checks):
        raise click.UsageError("--json, --seed and --check go with --notebook")
    if notebook is not None and (students or regrade or workers or ray or only or quiet or len(assignments) > 1):
        raise click.UsageError(
            "--student, --workers, --ray, --regrade, --only, --quiet and a second ASSIGNMENT do not go with it"
        )
    if ray and only == "provisional":
        raise click.UsageError("--only provisional completes what waits for a GPU on this machine; --ray does not go with it")
    if notebook is not None:
        _grade_file(folder, assignments[0], notebook, checks, as_json=as_json, seed=seed, jail=not unsafe_no_jail)
        return
    from torchgrade.cli.handed_in import handed_in  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.course import find_course  # noqa: PLC0415

    course = find_course(folder)
    if course.is_classic:
        from torchgrade.cli.classic import grade_classic  # noqa: PLC0415

        if ray or only or unsafe_no_jail:
            raise click.UsageError("--ray, --only and --unsafe-no-jail do not go with tests in the notebook's own cells")
        grade_classic(course, assignments, students, workers=workers, regrade=regrade, quiet=quiet)
        return
    from torchgrade.runs import to_grade  # noqa: PLC0415

    handed_in(course, assignments, students, tell=True)  # what is wrong with the request is said before any waiting
    with contextlib.ExitStack() as ours:
        take_turn(ours, course, assignments)
        chosen = handed_in(course, assignments, students)
        todo = to_grade(course, chosen, jail=not unsafe_no_jail, regrade=regrade, only=only or "")
        if todo and only == "provisional":
            _require_gpu(len(todo))
        run = _run(course, todo, workers=workers, ray=ray, jail=not unsafe_no_jail, complete=only == "provisional")
        _grade_class(course, chosen, todo, run, quiet=quiet, only=bool(only))


def _require_gpu(waiting: int) -> None:
    from torchgrade.grading.environment import has_gpu  # noqa: PLC0415

    if not has_gpu():
        raise click.ClickException(
            f"{waiting} provisional submissions wait for a GPU, and this machine has none. Give this command where torchgrade "
            "doctor finds one, with the same results folder; what is decided stays"
        )


def _grade_file(
    folder: Path, assignment: str, notebook: Path, checks: tuple[str, ...], *, as_json: bool, seed: int | None, jail: bool
) -> None:
    from torchgrade.cli.left_open import cause_of  # noqa: PLC0415
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.grading.judge import Judge  # noqa: PLC0415
    from torchgrade.report import record_text  # noqa: PLC0415

    course = find_course(folder)
    with Judge(course, jail=jail) as judge:
        record = judge.grade(course.require_assignment(assignment), notebook.stem, notebook, seed=seed, checks=checks)
    click.echo(json.dumps(record.to_json(), indent=1) if as_json else record_text(record))
    if cause := cause_of(record):
        click.echo(f"Problem: left ungraded: {cause}", err=True)
    if cause or not record.readable:
        raise SystemExit(1)


def _run(course: Course, todo: list[Submission], *, workers: int | None, ray: str | None, jail: bool, complete: bool) -> ClassRun:
    from torchgrade.runs import ClassRun  # noqa: PLC0415

    if ray is None:
        judges = workers_for(course, {submission.assignment for submission in todo}, workers)
        return ClassRun(course, todo, workers=judges, jail=jail, complete=complete)
    from torchgrade.runs.cluster import in_cluster  # noqa: PLC0415

    return ClassRun(course, todo, workers=workers or len(todo), jail=jail, judges=functools.partial(in_cluster, address=ray))


def _grade_class(
    course: Course, chosen: list[Submission], todo: list[Submission], run: ClassRun, *, quiet: bool, only: bool
) -> None:
    unchanged = sorted(set(chosen) - set(todo))
    if not quiet:
        names = ", ".join(dict.fromkeys(submission.assignment for submission in chosen))
        rest = "others" if only else "unchanged"
        click.echo(f"{len(chosen)} submissions of {names}: {len(todo)} to grade, {len(unchanged)} {rest}", err=True)

    with ending_in_order(run.finish) as signals:
        from torchgrade.gradebook import grade_and_record  # noqa: PLC0415 - after the run was begun: nbgrader's imports take as long
        from torchgrade.report.progress import progress_for  # noqa: PLC0415

        progress = progress_for(len(todo), quiet=quiet)
        problems = grade_and_record(course, run, unchanged=unchanged, todo=todo, progress=progress)
    if not quiet:
        _print_tables(course, chosen)
    problems += _ungraded(course, chosen)
    for problem in problems:
        click.echo(f"Problem: {problem}", err=True)
    end(signals, problems=bool(problems))


def _ungraded(course: Course, chosen: list[Submission]) -> list[str]:
    from torchgrade.cli.left_open import ungraded_lines  # noqa: PLC0415
    from torchgrade.record import Results  # noqa: PLC0415

    results = Results(course.results)
    records = (results.read(submission.student, submission.assignment) for submission in chosen)
    return ungraded_lines(record for record in records if record is not None)


def _print_tables(course: Course, chosen: list[Submission]) -> None:
    from torchgrade.record import Results  # noqa: PLC0415
    from torchgrade.report import print_class_table  # noqa: PLC0415

    results = Results(course.results)
    assignments = list(dict.fromkeys(submission.assignment for submission in chosen))
    for assignment in assignments:
        if len(assignments) > 1:
            click.echo(f"\n{assignment}")
        records = (results.read(student, assignment) for name, student in chosen if name == assignment)
        print_class_table([record for record in records if record is not None])
