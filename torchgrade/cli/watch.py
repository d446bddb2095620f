"""The work of ``torchgrade watch``.

    exchange ──► submitted/ ──► due? ──► graded ──► marks, pages, exchange
                    └── those whose page students cannot fetch yet ──┘

What a look has to do is told by what is on the disk, so that a watch that was killed, or met an error, goes on where it was.
"""

from __future__ import annotations

import datetime as dt
import functools
import threading
from collections.abc import Sequence

import click

from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.machine import workers_for
from torchgrade.cli.printing import teller
from torchgrade.cli.strategy import Stoppable, Strategy, WatchSteps
from torchgrade.cli.taking_turns import ending_in_order
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError
from torchgrade.gradebook.feedback_pages import collect, hand_back, inbox, is_handed_back
from torchgrade.record import RecordError
from torchgrade.runs import turn
from torchgrade.runs.watching import Patience


def watch(course: Course, assignments: tuple[str, ...], workers: int | None, *, once: bool, quiet: bool) -> None:
    """Look again and again until Ctrl-C, or ``once``; the problems of a look that the one before did not have are printed."""
    for assignment in assignments:
        course.require_assignment(assignment)
    if not inbox(course).is_dir():
        teller(quiet=quiet, err=True)(f"no exchange at {inbox(course)}: only {course.submitted} is looked at")
    watching = Watcher(strategy_of(course), assignments, workers_for(course, assignments, workers), quiet=quiet)
    with ending_in_order(watching.finish):
        while True:
            for problem in watching.look():
                click.echo(f"Problem: {problem}", err=True)
            if once or watching.ending.wait(course.watch.every_seconds):
                return


class Watcher:
    """One look after another."""

    def __init__(self, strategy: Strategy, assignments: tuple[str, ...], workers: int, *, quiet: bool = False) -> None:
        self.course, self.assignments = strategy.course, assignments
        self._new_steps = functools.partial(strategy.watch_steps, workers, quiet=quiet)
        self._say = teller(quiet=quiet, err=True)
        self.ending = threading.Event()
        self._run: Stoppable | None = None
        self._told: set[Submission] = set()
        self._said: set[str] = set()
        self._not_graded, self._not_handed_back = Patience(), Patience()

    def finish(self) -> None:
        """Grade what is in flight and end."""
        self.ending.set()
        if self._run is not None:
            self._run.finish()

    def look(self) -> list[str]:
        """Collect, grade what is due, write and release feedback; the problems that the last look did not have.

        Waits for another run of the assignments.
        """
        problems: list[str] = []
        with turn(
            self.course.results, self.assignments, tell=functools.partial(click.echo, err=True), stop=self.ending.is_set
        ) as ours:
            try:
                if ours:
                    self._look(self._new_steps(), problems)
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
        new = [problem for problem in problems if problem not in self._said]
        self._said = set(problems)
        return new

    def _look(self, steps: WatchSteps, problems: list[str]) -> None:
        there: list[Submission] = []
        todo: list[Submission] = []
        for assignment in self.assignments:
            try:
                collect(self.course, assignment)
            except GradebookError as error:
                problems.append(str(error))
            problems += self.course.passed_over(assignment)
            try:
                handed_in = self.course.handed_in(assignment)
                todo += self._to_grade(steps, handed_in)
                there += handed_in
            except (GradebookError, RecordError) as error:  # of this assignment; the others have nothing to do with it
                problems.append(str(error))
        found = steps.due(todo, self.assignments, _now())
        self._tell(found.later)
        undone = [each for each in there if each not in todo and self._to_hand_back(steps, each)]
        if self.ending.is_set() or not (found.now or undone):
            return
        if found.now:
            self._say(f"{dt.datetime.now().astimezone():%H:%M:%S} grading {len(found.now)}")
        problems += steps.grade(found, undone, self._begin)
        self._run = None
        for each in steps.outdated(found.now, _now()):
            self._not_graded.failed(each, steps.basis(each), _now())
        problems += self._hand_back(steps, [*undone, *found.now])

    def _to_grade(self, steps: WatchSteps, submissions: Sequence[Submission]) -> list[Submission]:
        """Return the submissions that need grading, but for those that this watch failed to grade a short while ago."""
        now = _now()
        return [each for each in steps.outdated(submissions, now) if not self._not_graded.waits(each, steps.basis, now)]

    def _begin(self, run: Stoppable) -> None:
        """Let a Ctrl-C end this run; one may have come while it was made."""
        self._run = run
        if self.ending.is_set():
            run.finish()

    def _tell(self, later: dict[Submission, dt.datetime]) -> None:
        """Name those that wait, once each."""
        for submission, until in later.items():
            if submission not in self._told:
                self._say(f"{submission} waits until {until:%H:%M} UTC: graded often enough within the hour")
        self._told = set(later)

    def _to_hand_back(self, steps: WatchSteps, submission: Submission) -> str:
        """The stamp of the marks whose page the student should have and cannot fetch; empty where there is nothing to do now."""
        stamp = steps.stamp_to_show(submission)
        if not stamp or is_handed_back(self.course, submission, stamp):
            return ""
        return "" if self._not_handed_back.waits(submission, lambda _: stamp, _now()) else stamp

    def _hand_back(self, steps: WatchSteps, submissions: Sequence[Submission]) -> list[str]:
        """Write and release the pages of those that were graded; the problems. What failed is tried again at a later look."""
        problems = []
        for submission in submissions:
            if not (stamp := self._to_hand_back(steps, submission)):
                continue
            try:
                hand_back(self.course, submission, stamp)
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
                self._not_handed_back.failed(submission, stamp, _now())
        return problems


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
