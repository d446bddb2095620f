"""``torchgrade grade``."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("grade")
@click.argument("assignment")
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@click.option(
    "--workers",
    "-j",
    type=click.IntRange(1, 256),
    default=None,
    help="Judges at a time; by default one a core, at most 4.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    help="Where to grade; auto takes a GPU if there is one.",
)
@click.option("--notebook", type=click.Path(path_type=Path), help="Grade this one file, without the gradebook.")
@click.option("--json", "as_json", is_flag=True, help="With --notebook: print the record.")
@click.option("--seed", type=int, help="With --notebook: repeat a run; the seed stands in its record.")
@click.option("--check", "checks", multiple=True, help="With --notebook: only this check and what it needs; several times.")
@click.option("--regrade", is_flag=True, help="Grade again what is graded already.")
@click.option("--unsafe-no-jail", is_flag=True, help="Run submissions without a jail, as you. Only for files you wrote yourself.")
@click.pass_obj
def command(
    folder: Path,
    assignment: str,
    students: tuple[str, ...],
    workers: int | None,
    device: str,
    notebook: Path | None,
    as_json: bool,
    seed: int | None,
    checks: tuple[str, ...],
    regrade: bool,
    unsafe_no_jail: bool,
) -> None:
    """Grade what was handed in for ASSIGNMENT and is not graded yet, and record the marks."""
    if notebook is None and (as_json or seed is not None or checks):
        raise click.UsageError("--json, --seed and --check go with --notebook")
    if notebook is not None and (students or regrade or workers):
        raise click.UsageError("--student, --workers and --regrade do not go with --notebook")
    _choose_device(device)
    if notebook is not None:
        _grade_file(folder, assignment, notebook, checks, as_json=as_json, seed=seed, jail=not unsafe_no_jail)
    else:
        _grade_class(folder, assignment, students, workers, regrade=regrade, jail=not unsafe_no_jail)


def _choose_device(device: str) -> None:
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch is imported, here and in the judges
    elif device == "cuda":
        import torch  # noqa: PLC0415

        if not torch.cuda.is_available():
            raise click.ClickException("--device cuda: torch sees no GPU on this machine; torchgrade doctor says more")


def _grade_file(
    folder: Path, assignment: str, notebook: Path, checks: tuple[str, ...], *, as_json: bool, seed: int | None, jail: bool
) -> None:
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.grading.judge import Judge  # noqa: PLC0415
    from torchgrade.report import record_text  # noqa: PLC0415

    course = find_course(folder)
    with Judge(course, jail=jail) as judge:
        record = judge.grade(course.require_assignment(assignment), notebook.stem, notebook, seed=seed, checks=checks)
    click.echo(json.dumps(record.to_json(), indent=1) if as_json else record_text(record))
    if not record.readable or record.status.value == "ungraded":
        raise SystemExit(1)


def _grade_class(
    folder: Path, assignment: str, students: tuple[str, ...], workers: int | None, *, regrade: bool, jail: bool
) -> None:
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415
    from torchgrade.record import Results  # noqa: PLC0415
    from torchgrade.runs import current_record, grade_all  # noqa: PLC0415

    course = find_course(folder)
    handed_in = course.students(course.require_assignment(assignment))
    for student in students:
        if student not in handed_in:
            raise CourseError(f"{student} has not handed in {assignment}; there are: {', '.join(handed_in) or 'none'}")
    chosen = list(students) or handed_in
    if not chosen:
        raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
    _writable(course.results)
    todo = [s for s in chosen if regrade or current_record(course, assignment, s, jail=jail) is None]
    click.echo(
        f"{len(chosen)} submissions of {assignment}: {len(todo)} to grade, {len(chosen) - len(todo)} unchanged",
        err=True,
    )
    run = grade_all(course, assignment, todo, workers=workers or min(4, os.cpu_count() or 1), jail=jail)
    from torchgrade.gradebook import record_marks  # noqa: PLC0415 - after the run was begun: nbgrader's imports take as long as torch's
    from torchgrade.report import print_class_table  # noqa: PLC0415

    problems: list[str] = []
    with contextlib.closing(run), click.progressbar(length=len(todo), label="grading", hidden=not todo) as bar:

        def graded() -> Iterator[str]:
            """Whoever has a record: those who had one before, and the others as they are graded."""
            yield from (student for student in chosen if student not in todo)
            for done in run:
                bar.update(1)
                if done.error:
                    problems.append(f"{done.student}: {done.error}")
                else:
                    yield done.student

        students_with_records = graded()
        problems += record_marks(course, assignment, students_with_records)
        for _ in students_with_records:  # a gradebook that cannot be used stops nothing: the records are written all the same
            pass
    results = Results(course.results)
    print_class_table([record for student in chosen if (record := results.read(student, assignment)) is not None])
    for problem in problems:
        click.echo(f"Problem: {problem}", err=True)
    if problems:
        raise SystemExit(1)


def _writable(results: Path) -> None:
    """Say before an hour of grading, not after it, that records cannot be written."""
    from torchgrade.record import RecordError  # noqa: PLC0415

    try:
        results.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=results) as file:
            file.write(b"\0" * 65536)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise RecordError(f"cannot write to {results}: {error.strerror or error}. Nothing was graded.") from error
