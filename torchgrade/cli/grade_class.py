"""``torchgrade grade`` for a course whose checks stand in ``graders/``.

submissions ──► to_grade ──► ClassRun: judges ──► records, marks ──► a table an assignment ──► how the class stands
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.left_open import ungraded_lines
from torchgrade.cli.machine import workers_for
from torchgrade.cli.printing import print_summary, teller
from torchgrade.cli.taking_turns import end, ending_in_order, take_turn

if TYPE_CHECKING:
    from torchgrade.cli.grade_requests import ClassRequest
    from torchgrade.course import Course, Submission
    from torchgrade.record import Record
    from torchgrade.runs import ClassRun


def grade_class(course: Course, request: ClassRequest) -> None:
    """Grade what is new or changed, enter the marks, print them. Exits with 1 where there was a problem."""
    from torchgrade.jail import choose_wall  # noqa: PLC0415
    from torchgrade.runs import to_grade  # noqa: PLC0415 - slow imports only where they are used

    only = request.only or ""
    handed_in(course, request.assignments, request.students, tell=True)  # what is wrong is said before any waiting
    with contextlib.ExitStack() as ours:
        take_turn(ours, course, request.assignments)
        chosen = handed_in(course, request.assignments, request.students)
        todo = to_grade(course, chosen, jail=not request.unsafe_no_jail, regrade=request.regrade, only=only)
        if todo and request.ray is None and not request.unsafe_no_jail:
            choose_wall().require()
        if todo and only == "provisional":
            _require_gpu(len(todo))
        run = _run(course, todo, request)
        _grade(course, chosen, todo, run, quiet=request.quiet, others="others" if only else "unchanged")


def _require_gpu(waiting: int) -> None:
    from torchgrade.judge.environment import has_gpu  # noqa: PLC0415

    if not has_gpu():
        raise click.ClickException(
            f"{waiting} provisional submissions wait for a GPU, and this machine has none. Give this command where torchgrade "
            "doctor finds one, with the same results folder; what is decided stays"
        )


def _run(course: Course, todo: list[Submission], request: ClassRequest) -> ClassRun:
    from torchgrade.runs import ClassRun  # noqa: PLC0415

    jail = not request.unsafe_no_jail
    if request.ray is None:
        judges = workers_for(course, {submission.assignment for submission in todo}, request.workers)
        return ClassRun(course, todo, workers=judges, jail=jail, complete=request.only == "provisional")
    from torchgrade.runs.cluster import in_cluster  # noqa: PLC0415

    in_that = functools.partial(in_cluster, address=request.ray)
    return ClassRun(course, todo, workers=request.workers or len(todo), jail=jail, judges=in_that)


def _grade(course: Course, chosen: list[Submission], todo: list[Submission], run: ClassRun, *, quiet: bool, others: str) -> None:
    unchanged = sorted(set(chosen) - set(todo))
    names = ", ".join(dict.fromkeys(submission.assignment for submission in chosen))
    tell = teller(quiet=quiet, err=True)
    tell(f"{len(chosen)} submissions of {names}: {len(todo)} to grade, {len(unchanged)} {others}")

    before = {} if quiet else _records(course, todo)
    with ending_in_order(run.finish) as signals:
        # After the run was begun: nbgrader's imports take as long as the judges'. Nothing is graded until the run is iterated.
        from torchgrade.gradebook import grade_and_record, require_released  # noqa: PLC0415
        from torchgrade.report.progress import progress_for  # noqa: PLC0415

        require_released(course, (submission.assignment for submission in chosen))
        progress = progress_for(len(todo), quiet=quiet)
        problems = grade_and_record(course, run, unchanged=unchanged, todo=todo, progress=progress)
    records = _records(course, chosen)
    if not quiet:
        _print_marks(course, records, before)
    problems += ungraded_lines(record for record in records.values() if record is not None)
    for problem in problems:
        click.echo(f"Problem: {problem}", err=True)
    end(signals, problems=bool(problems))


def _records(course: Course, submissions: Iterable[Submission]) -> dict[Submission, Record | None]:
    from torchgrade.record import Results  # noqa: PLC0415

    results = Results(course.results)
    return {each: results.read(each.student, each.assignment) for each in submissions}


def _print_marks(course: Course, found: Mapping[Submission, Record | None], before: Mapping[Submission, Record | None]) -> None:
    """Print a table an assignment, then how the class stands in each.

    ``before``: the records that those to be graded had; who has the same one still was not graded, as when the run was stopped.
    """
    from torchgrade.gradebook.by_hand import points_by_hand  # noqa: PLC0415
    from torchgrade.report import print_class_table  # noqa: PLC0415
    from torchgrade.report.class_summary import State, state_of  # noqa: PLC0415

    by_assignment: dict[str, dict[Submission, Record | None]] = {}
    for submission, record in found.items():
        by_assignment.setdefault(submission.assignment, {})[submission] = record
    states: dict[str, dict[str, State]] = {}
    for assignment, records in by_assignment.items():
        if len(by_assignment) > 1:
            click.echo(f"\n{assignment}")
        left = {each.student for each, record in records.items() if each in before and before[each] == record}
        waiting = points_by_hand(course, assignment)
        print_class_table([r for r in records.values() if r is not None], not_graded=left, by_hand=waiting)
        states[assignment] = {
            each.student: State.NOT_GRADED if each.student in left else state_of(record, by_hand=each.student in waiting)
            for each, record in records.items()
        }
    print_summary(course, states)
