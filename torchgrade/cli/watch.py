"""``torchgrade watch``: one look after another.

    exchange ──► submitted/ ──► due? ──► graded ──► marks, pages, exchange
                    └── those whose page students cannot fetch yet ──┘

What a look has to do follows from what is on disk, so a watch that was killed, or met an error, goes on where it was.
"""

from __future__ import annotations

import datetime as dt
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import click

from torchgrade.classic import basis as classic
from torchgrade.classic.gradings import Gradings
from torchgrade.cli.grade import ClassicGrading, grade_and_enter
from torchgrade.cli.shared import ending_in_order, teller, workers_for
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError
from torchgrade.gradebook.cells import exercises_among_tests
from torchgrade.gradebook.feedback_pages import collect, hand_back, inbox, is_handed_back, stamp_to_show
from torchgrade.gradebook.handout import require_graders_as_released
from torchgrade.record import RecordError
from torchgrade.runs import ClassRun, Due, due, to_grade, turn
from torchgrade.runs.reuse import rests_on
from torchgrade.runs.watching import Patience


def watch_assignments(course: Course, assignments: tuple[str, ...], workers: int | None, *, once: bool, quiet: bool) -> None:
    """Look again and again until Ctrl-C, or only ``once``; print the problems of each look that the one before did not have."""
    for assignment in assignments:
        course.require_assignment(assignment)
    if not inbox(course).is_dir():
        teller(quiet=quiet, err=True)(f"there is no exchange at {inbox(course)}: only {course.submitted} is looked at")
    watching = Watcher(course, assignments, workers_for(course, assignments, workers), quiet=quiet)
    with ending_in_order(watching.finish):
        while True:
            for problem in watching.look():
                click.echo(f"Problem: {problem}", err=True)
            if once or watching.ending.wait(course.watch.every_seconds):
                return


class Watcher:
    """One look after another."""

    def __init__(self, course: Course, assignments: tuple[str, ...], workers: int, *, quiet: bool = False) -> None:
        self.course, self.assignments = course, assignments
        steps = StepsWithTestsInCells if course.kind.tests_in_cells else StepsWithChecks
        self._new_steps: Callable[[], Steps] = functools.partial(steps, course, workers, quiet=quiet)
        self._say = teller(quiet=quiet, err=True)
        self.ending = threading.Event()
        self._run: Stoppable | None = None
        self._told: set[Submission] = set()
        self._said: set[str] = set()
        self._not_graded, self._not_handed_back = Patience(), Patience()

    def finish(self) -> None:
        """Finish grading what is in flight, then end."""
        self.ending.set()
        if self._run is not None:
            self._run.finish()

    def look(self) -> list[str]:
        """Collect, grade what is due, write and release feedback; return the problems that the last look did not have.

        If another run has one of the assignments, wait for it.
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

    def _look(self, steps: Steps, problems: list[str]) -> None:
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
            except (GradebookError, RecordError) as error:  # a problem of this assignment, not of the others
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

    def _to_grade(self, steps: Steps, submissions: Sequence[Submission]) -> list[Submission]:
        """Return the submissions that need grading, except those that this watch failed to grade a short while ago."""
        now = _now()
        return [each for each in steps.outdated(submissions, now) if not self._not_graded.waits(each, steps.basis, now)]

    def _begin(self, run: Stoppable) -> None:
        """Let a Ctrl-C end this run, even one that came while the run was being made."""
        self._run = run
        if self.ending.is_set():
            run.finish()

    def _tell(self, later: dict[Submission, dt.datetime]) -> None:
        """Name those that have to wait, once each."""
        for submission, until in later.items():
            if submission not in self._told:
                self._say(f"{submission} waits until {until:%H:%M} UTC: graded often enough within the hour")
        self._told = set(later)

    def _to_hand_back(self, steps: Steps, submission: Submission) -> str:
        """The stamp of marks whose page the student should have but cannot fetch yet; empty if there is nothing to do now."""
        stamp = steps.stamp_to_show(submission)
        if not stamp or is_handed_back(self.course, submission, stamp):
            return ""
        return "" if self._not_handed_back.waits(submission, lambda _: stamp, _now()) else stamp

    def _hand_back(self, steps: Steps, submissions: Sequence[Submission]) -> list[str]:
        """Write and release the pages of those that were graded; return the problems. A later look tries again what failed."""
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


# ---- the steps of a look


class Stoppable(Protocol):
    """A run of submissions that can be asked to end."""

    def finish(self) -> None:
        """Begin nothing more; finish grading what is in flight."""
        ...


class Steps(Protocol):
    """The steps of one look that differ between kinds of course. A new object for each look."""

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return the submissions that would get other marks if they were graded now."""
        ...

    def basis(self, submission: Submission) -> object:
        """Return all that the grading of a submission rests on; once that changes, what failed is tried again."""
        ...

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort out which submissions are graded now, in which order, and which wait."""
        ...

    def grade(self, found: Due, undone: Sequence[Submission], begun: Callable[[Stoppable], None]) -> list[str]:
        """Grade what is due and enter the marks, including those of ``undone`` submissions, graded before; return the problems.

        ``begun`` is called with each run before it grades anything.
        """
        ...

    def stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the marks for what was handed in last; empty if there are none."""
        ...


class StepsWithChecks:
    """The steps in a course of checks, where records hold all that is needed."""

    def __init__(self, course: Course, workers: int, *, quiet: bool) -> None:
        self._course, self._workers, self._quiet = course, workers, quiet

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return those without a current record."""
        return to_grade(self._course, submissions, at=at)

    def basis(self, submission: Submission) -> object:
        """Return the digests that a record would have."""
        return rests_on(self._course, submission)

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort them by the times of earlier records."""
        return due(self._course, submissions, assignments, at=at)

    def grade(self, found: Due, undone: Sequence[Submission], begun: Callable[[Stoppable], None]) -> list[str]:
        """Grade in one run, whose judges work through all assignments; return the problems."""
        problems: dict[str, str] = {}
        for assignment in dict.fromkeys(each.assignment for each in found.now):
            try:
                require_graders_as_released(self._course, [assignment])
            except GradebookError as error:
                problems[assignment] = str(error)
        todo = [each for each in found.now if each.assignment not in problems]
        run = ClassRun(self._course, todo, workers=self._workers, notes=found.notes)
        begun(run)
        return [*problems.values(), *grade_and_enter(self._course, run, todo=todo, unchanged=undone, quiet=self._quiet)]

    def stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the latest record."""
        return stamp_to_show(self._course, submission)


class StepsWithTestsInCells:
    """The steps in a classic course, where graded copies, the gradebook and the gradings hold what is needed."""

    def __init__(self, course: Course, workers: int, *, quiet: bool) -> None:
        self._course, self._workers, self._quiet = course, workers, quiet
        self._known: dict[str, classic.Bases] = {}

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return those whose graded copies or marks do not match what is there now."""
        return classic.to_grade(self._course, submissions, at)

    def basis(self, submission: Submission) -> object:
        """Return the digests of both: what the marks rest on, and what a record of the exercises would rest on."""
        checked = bool(exercises_among_tests(self._course, submission.assignment))
        of_record = rests_on(self._course, submission) if checked else None
        return self._bases(submission.assignment).of(submission.student), of_record

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort them by the times of earlier gradings."""
        return due(self._course, submissions, assignments, at=at, times=Gradings(self._course.results).times)

    def grade(
        self,
        found: Due,
        undone: Sequence[Submission],  # noqa: ARG002 - what has a graded copy has its marks, too
        begun: Callable[[Stoppable], None],
    ) -> list[str]:
        """Grade one assignment after the other; return the problems."""
        grading = ClassicGrading(self._course, self._workers, notes=found.notes, quiet=self._quiet)
        begun(grading)
        problems: list[str] = []
        for assignment in dict.fromkeys(each.assignment for each in found.now):
            try:
                problems += grading.grade(assignment, [each for each in found.now if each.assignment == assignment])[1]
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
        self._known.clear()  # they know the gradebook as it was before
        return problems

    def stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the student's graded copies."""
        return classic.stamp_to_show(self._bases(submission.assignment), submission.student)

    def _bases(self, assignment: str) -> classic.Bases:
        """Return the bases of an assignment as it is now. Making them reads all of its files, so they stay until marks change."""
        return self._known.get(assignment) or self._known.setdefault(assignment, classic.Bases(self._course, assignment))
