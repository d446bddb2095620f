"""``torchgrade grade`` in a course of checks.

submissions ──► to_grade ──► ClassRun: judges ──► records, marks ──► a table an assignment ──► how the class stands
"""

from __future__ import annotations

import contextlib
import functools

import click

from torchgrade.cli.grade_requests import ClassRequest
from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.left_open import ungraded_lines
from torchgrade.cli.machine import workers_for
from torchgrade.cli.printing import count, teller
from torchgrade.cli.taking_turns import end, ending_in_order, take_turn
from torchgrade.course import Course, Submission
from torchgrade.jail import choose_wall
from torchgrade.judge.environment import has_gpu
from torchgrade.record import Results
from torchgrade.runs import ClassRun, Regrade, to_grade
from torchgrade.runs.cluster import in_cluster


def grade_class(course: Course, request: ClassRequest) -> None:
    """Grade what is new or changed, enter the marks, print them. Exits with 1 where there was a problem."""
    only = request.only or ""
    there = handed_in(course, request.assignments, request.students)  # what is wrong is said before any waiting
    with contextlib.ExitStack() as ours:
        take_turn(ours, course, request.assignments)
        by_assignment = {each: course.handed_in(each, request.students) for each in there.students}
        chosen = [submission for submissions in by_assignment.values() for submission in submissions]
        regrades = {}
        if request.regrade:
            regrades = {each: Regrade(course, each, [one.student for one in handed]) for each, handed in by_assignment.items()}
        todo = to_grade(course, chosen, jail=not request.unsafe_no_jail, regrades=regrades, only=only)
        if todo and request.ray is None and not request.unsafe_no_jail:
            choose_wall().require()
        if todo and only == "provisional":
            _require_gpu(len(todo))
        run = _run(course, todo, request)
        others = "graded again before" if len(todo) < len(chosen) and request.regrade else "others" if only else "unchanged"
        signals, problems = _grade(course, chosen, todo, run, quiet=request.quiet, others=others)
    if not signals:
        for regrade in regrades.values():
            regrade.end()
    end(signals, problems=problems)
    there.end()


def _require_gpu(waiting: int) -> None:
    if not has_gpu():
        raise click.ClickException(
            f"{count(waiting, 'provisional submission')} {'waits' if waiting == 1 else 'wait'} for a GPU, and this machine has "
            "none. Give this command where torchgrade doctor finds one, with the same results folder; what is decided stays"
        )


def _run(course: Course, todo: list[Submission], request: ClassRequest) -> ClassRun:
    jail = not request.unsafe_no_jail
    if request.ray is None:
        judges = workers_for(course, {submission.assignment for submission in todo}, request.workers)
        return ClassRun(course, todo, workers=judges, jail=jail, complete=request.only == "provisional")
    in_that = functools.partial(in_cluster, address=request.ray)
    return ClassRun(course, todo, workers=request.workers or len(todo), jail=jail, judges=in_that)


def _grade(
    course: Course, chosen: list[Submission], todo: list[Submission], run: ClassRun, *, quiet: bool, others: str
) -> tuple[list[int], bool]:
    """Grade, enter and print; the signals that came, and whether there were problems."""
    unchanged = sorted(set(chosen) - set(todo))
    names = ", ".join(dict.fromkeys(submission.assignment for submission in chosen))
    tell = teller(quiet=quiet, err=True)
    tell(f"{count(len(chosen), 'submission')} of {names}: {len(todo)} to grade, {len(unchanged)} {others}")

    results = Results(course.results)
    before = {} if quiet else {each: results.read(each.student, each.assignment) for each in todo}
    with ending_in_order(run.finish) as signals:
        # After the run was begun: nbgrader's imports take as long as the judges'. Nothing is graded until the run is iterated.
        from torchgrade.cli.checks.marks import enter_marks, print_marks  # noqa: PLC0415

        problems = enter_marks(course, run, chosen=chosen, todo=todo, unchanged=unchanged, quiet=quiet)
    records = {each: results.read(each.student, each.assignment) for each in chosen}
    if not quiet:
        print_marks(course, records, before)
    problems += ungraded_lines(record for record in records.values() if record is not None)
    for problem in problems:
        click.echo(f"Problem: {problem}", err=True)
    return signals, bool(problems)
