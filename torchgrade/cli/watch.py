"""``torchgrade watch``."""

from __future__ import annotations

import datetime as dt
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from torchgrade.course import Course, Submission
    from torchgrade.runs import ClassRun


@click.command("watch")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option(
    "--workers", "-j", type=click.IntRange(1, 256), default=None, help="Judges at a time; by default one a core, at most 4."
)
@click.option("--once", is_flag=True, help="Look once, grade what is due, and end.")
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], workers: int | None, once: bool) -> None:
    """Collect submissions of ASSIGNMENT as they arrive in the exchange, grade them and release their feedback, until Ctrl-C.

    Each student's newest submission, those with the fewest gradings first, and no more of a student's within an hour than
    c.Watch.gradings_per_hour says. It may be ended and started again at any time.
    """
    from torchgrade.course import find_course  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.runs import first_signal  # noqa: PLC0415

    course = find_course(folder)
    for assignment in assignments:
        course.require_assignment(assignment)
    watch = _Watch(course, assignments, workers or min(4, os.cpu_count() or 1))
    with first_signal(watch.finish):
        while True:
            for problem in watch.look():
                click.echo(f"Problem: {problem}", err=True)
            if once or watch.ending.wait(course.watch.every_seconds):
                return


class _Watch:
    """One look after another."""

    def __init__(self, course: Course, assignments: tuple[str, ...], workers: int) -> None:
        self.course, self.assignments, self.workers = course, assignments, workers
        self.ending = threading.Event()
        self._run: ClassRun | None = None
        self._told: set[Submission] = set()

    def finish(self) -> None:
        """Grade what is in flight and end."""
        self.ending.set()
        if self._run is not None:
            self._run.finish()
        click.echo("\nFinishing what is in flight; Ctrl-C again stops at once.", err=True)

    def look(self) -> list[str]:
        """Collect, grade what is due, write and release feedback; the problems. Waits for another run of the assignments."""
        from torchgrade.runs import turn  # noqa: PLC0415

        def tell(line: str) -> None:
            click.echo(line, err=True)

        with turn(self.course.results, self.assignments, tell=tell, stop=self.ending.is_set) as ours:
            return self._look() if ours else []

    def _look(self) -> list[str]:
        from torchgrade.gradebook import GradebookError, grade_and_record  # noqa: PLC0415
        from torchgrade.gradebook.exchange import collect  # noqa: PLC0415
        from torchgrade.report.progress import progress_for  # noqa: PLC0415
        from torchgrade.runs import ClassRun, due, to_grade  # noqa: PLC0415

        problems: list[str] = []
        for assignment in self.assignments:
            try:
                collect(self.course, assignment)
            except GradebookError as error:
                problems.append(str(error))
        handed_in = [each for assignment in self.assignments for each in self.course.handed_in(assignment)]
        found = due(self.course, to_grade(self.course, handed_in), self.assignments, at=dt.datetime.now(dt.UTC))
        self._tell(found.later)
        if not found.now or self.ending.is_set():
            return problems
        click.echo(f"{dt.datetime.now().astimezone():%H:%M:%S} grading {len(found.now)}", err=True)
        self._run = ClassRun(self.course, found.now, workers=self.workers, notes=found.notes)
        problems += grade_and_record(self.course, self._run, unchanged=(), todo=found.now, progress=progress_for(len(found.now)))
        self._run = None
        return problems + self._feedback(found.now)

    def _tell(self, later: dict[Submission, dt.datetime]) -> None:
        """Name those that wait, once each."""
        for submission, until in later.items():
            if submission not in self._told:
                click.echo(f"{submission} waits until {until:%H:%M} UTC: graded often enough within the hour", err=True)
        self._told = set(later)

    def _feedback(self, submissions: tuple[Submission, ...]) -> list[str]:
        from torchgrade.gradebook import GradebookError, feedback  # noqa: PLC0415
        from torchgrade.gradebook.exchange import release_feedback  # noqa: PLC0415
        from torchgrade.record import Results  # noqa: PLC0415

        problems, results = [], Results(self.course.results)
        for assignment, student in submissions:
            record = results.read(student, assignment)
            if record is None or record.is_blank:  # it could not be graded, and that was said
                continue
            try:
                feedback(self.course, assignment, [student])
                release_feedback(self.course, assignment, student)
            except GradebookError as error:
                problems.append(str(error))
        return problems
