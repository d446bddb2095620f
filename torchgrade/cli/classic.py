"""``torchgrade grade`` for a course whose tests stand in the notebook's own cells."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from torchgrade.classic.grading import Marked
    from torchgrade.course import Course


def grade_classic(
    course: Course, assignments: tuple[str, ...], students: tuple[str, ...], *, workers: int | None, regrade: bool, quiet: bool
) -> None:
    """Grade each assignment's class; a line for every student, the marks last. Exits with 1 where there was a problem."""
    from torchgrade.classic.workers import begin  # noqa: PLC0415 - slow imports only where they are used

    begin()
    from torchgrade.cli.handed_in import handed_in  # noqa: PLC0415
    from torchgrade.runs import first_signal, turn  # noqa: PLC0415

    handed_in(course, assignments, students, any_notebooks=True)  # what is wrong with the request is said before any waiting
    course.results.mkdir(exist_ok=True)
    number = workers or min(4, os.cpu_count() or 1)
    problems = 0
    with contextlib.ExitStack() as ours:
        try:
            ours.enter_context(turn(course.results, assignments, tell=lambda line: click.echo(line, err=True)))
        except KeyboardInterrupt:
            click.echo("\nStopped waiting; this run has graded nothing.", err=True)
            raise SystemExit(130) from None
        with first_signal(lambda: click.echo("\nFinishing what is in flight; Ctrl-C again stops at once.", err=True)) as signals:
            for assignment in dict.fromkeys(assignments):
                problems += _grade(course, assignment, students, number, signals, regrade=regrade, quiet=quiet)
    if signals:
        click.echo("Stopped. Nothing that was graded is lost; the same command goes on where this one stopped.", err=True)
        raise SystemExit(128 + signals[0])
    if problems:
        raise SystemExit(1)


def _grade(
    course: Course, assignment: str, students: tuple[str, ...], workers: int, signals: list[int], *, regrade: bool, quiet: bool
) -> int:
    from torchgrade.classic.grading import grade  # noqa: PLC0415

    began, marked = time.monotonic(), []
    chosen = [submission.student for submission in course.handed_in(assignment, students, any_notebooks=True)]
    for one in grade(course, assignment, chosen, workers=workers, regrade=regrade, stop=lambda: bool(signals)):
        marked.append(one)
        if not quiet and not one.unchanged:
            click.echo(f"{len(marked)} of {len(chosen)}  {one.student}: {one.problem or _points(one)}", err=True)
    marked.sort(key=lambda one: one.student)  # they came in the order in which they ended
    graded = sum(not one.unchanged for one in marked)
    if not quiet:
        seconds = time.monotonic() - began
        click.echo(f"{assignment}: {graded} graded in {seconds:.1f} s, {len(marked) - graded} unchanged", err=True)
        for one in marked:
            click.echo(f"{one.student:<24} {_points(one) if not one.problem else 'not graded'}")
    for one in marked:
        for problem in (*filter(None, [one.problem]), *one.remarks):
            click.echo(f"Problem: {one.student}: {problem}", err=True)
    return sum(bool(one.problem or one.remarks) for one in marked)


def _points(one: Marked) -> str:
    return f"{one.points:g} of {one.max_points:g}{', needs manual grading' if one.needs_manual_grade else ''}"
