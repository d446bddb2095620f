"""``torchgrade watch``.

    exchange ──► submitted/ ──► due? ──► graded ──► marks, pages, exchange
                    └── those whose page students cannot fetch yet ──┘

What a look has to do is told by what is on the disk, so that a watch that was killed, or met an error, goes on where it was.
"""

from __future__ import annotations

import datetime as dt
import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchgrade.cli.machine import judges_at_once, on_device, workers_for
from torchgrade.cli.printing import quietly, teller
from torchgrade.cli.taking_turns import ending_in_order

if TYPE_CHECKING:
    from torchgrade.classic.basis import Bases
    from torchgrade.cli.grade_classic import ClassicGrading
    from torchgrade.course import Course, Submission
    from torchgrade.runs import ClassRun, Due


@click.command("watch", short_help="Grade submissions as they arrive, until Ctrl-C.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@judges_at_once
@on_device
@click.option("--once", is_flag=True, help="Look once, grade what is due, and end.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], workers: int | None, once: bool, quiet: bool) -> None:
    """Collect submissions of ASSIGNMENT as they arrive in the exchange, grade them and release their feedback, until Ctrl-C.

    Each student's newest submission, those with the fewest gradings first, and no more of a student's within an hour than
    c.Watch.gradings_per_hour says. It may be ended and started again at any time.
    """
    from torchgrade.course import find_course  # noqa: PLC0415 - slow imports only where they are used
    from torchgrade.gradebook.exchange import inbox  # noqa: PLC0415

    course = find_course(folder)
    for assignment in assignments:
        course.require_assignment(assignment)
    if not inbox(course).is_dir():
        teller(quiet=quiet, err=True)(f"no exchange at {inbox(course)}: only {course.submitted} is looked at")
    kind = _ClassicWatch if course.kind.tests_in_cells else _Watch
    watch = kind(course, assignments, workers_for(course, assignments, workers), quiet=quiet)
    with ending_in_order(watch.finish):
        while True:
            for problem in watch.look():
                click.echo(f"Problem: {problem}", err=True)
            if once or watch.ending.wait(course.watch.every_seconds):
                return


class _Watch:
    """One look after another."""

    def __init__(self, course: Course, assignments: tuple[str, ...], workers: int, *, quiet: bool = False) -> None:
        from torchgrade.runs.patience import Patience  # noqa: PLC0415

        self.course, self.assignments, self.workers = course, assignments, workers
        self._quiet, self._say = quiet, teller(quiet=quiet, err=True)
        self.ending = threading.Event()
        self._run: ClassRun | ClassicGrading | None = None
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
        from torchgrade.gradebook import GradebookError  # noqa: PLC0415
        from torchgrade.record import RecordError  # noqa: PLC0415
        from torchgrade.runs import turn  # noqa: PLC0415

        problems: list[str] = []
        with turn(
            self.course.results, self.assignments, tell=functools.partial(click.echo, err=True), stop=self.ending.is_set
        ) as ours:
            try:
                if ours:
                    self._look(problems)
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
        new = [problem for problem in problems if problem not in self._said]
        self._said = set(problems)
        return new

    def _look(self, problems: list[str]) -> None:
        from torchgrade.gradebook import GradebookError  # noqa: PLC0415
        from torchgrade.gradebook.exchange import collect  # noqa: PLC0415
        from torchgrade.record import RecordError  # noqa: PLC0415

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
                todo += self._to_grade(handed_in)
                there += handed_in
            except (GradebookError, RecordError) as error:  # of this assignment; the others have nothing to do with it
                problems.append(str(error))
        found = self._due(todo)
        self._tell(found.later)
        undone = [each for each in there if each not in todo and self._to_hand_back(each)]
        if self.ending.is_set() or not (found.now or undone):
            return
        if found.now:
            self._say(f"{dt.datetime.now().astimezone():%H:%M:%S} grading {len(found.now)}")
        problems += self._grade(found, undone)
        for each in self._lacking(found.now):
            self._not_graded.failed(each, self._basis(each), _now())
        problems += self._hand_back([*undone, *found.now])

    def _to_grade(self, submissions: Sequence[Submission]) -> list[Submission]:
        """Return the submissions that need grading, but for those that this watch failed to grade a short while ago."""
        now = _now()
        return [each for each in self._lacking(submissions) if not self._not_graded.waits(each, self._basis, now)]

    def _lacking(self, submissions: Sequence[Submission]) -> list[Submission]:
        """Return the submissions whose marks would be others, were they graded now."""
        from torchgrade.runs import to_grade  # noqa: PLC0415

        return to_grade(self.course, submissions, at=_now())

    def _basis(self, submission: Submission) -> object:
        """All that the grading of a submission rests on; once it is another, what failed is tried again."""
        from torchgrade.runs.reuse import rests_on  # noqa: PLC0415

        return rests_on(self.course, submission)

    def _due(self, submissions: list[Submission]) -> Due:
        from torchgrade.runs import due  # noqa: PLC0415

        return due(self.course, submissions, self.assignments, at=_now())

    def _grade(self, found: Due, undone: Sequence[Submission]) -> list[str]:
        """Grade what is due, and enter the marks of what was graded before and is not handed back; the problems."""
        from torchgrade.gradebook import grade_and_record  # noqa: PLC0415
        from torchgrade.report.progress import progress_for  # noqa: PLC0415
        from torchgrade.runs import ClassRun  # noqa: PLC0415

        run = ClassRun(self.course, found.now, workers=self.workers, notes=found.notes)
        self._begin(run)
        progress = progress_for(len(found.now), quiet=self._quiet)
        problems = grade_and_record(self.course, run, unchanged=undone, todo=found.now, progress=progress)
        self._run = None
        return problems

    def _begin(self, run: ClassRun | ClassicGrading) -> None:
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

    def _stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the marks for what was handed in last; empty where there are none."""
        from torchgrade.gradebook.handing_back import stamp_to_show  # noqa: PLC0415

        return stamp_to_show(self.course, submission)

    def _to_hand_back(self, submission: Submission) -> str:
        """The stamp of the marks whose page the student should have and cannot fetch; empty where there is nothing to do now."""
        from torchgrade.gradebook.handing_back import is_handed_back  # noqa: PLC0415

        shown = self._stamp_to_show(submission)
        if not shown or is_handed_back(self.course, submission, shown):
            return ""
        return "" if self._not_handed_back.waits(submission, lambda _: shown, _now()) else shown

    def _hand_back(self, submissions: Sequence[Submission]) -> list[str]:
        """Write and release the pages of those that were graded; the problems. What failed is tried again at a later look."""
        from torchgrade.gradebook import GradebookError  # noqa: PLC0415
        from torchgrade.gradebook.handing_back import hand_back  # noqa: PLC0415
        from torchgrade.record import RecordError  # noqa: PLC0415

        problems = []
        for submission in submissions:
            if not (shown := self._to_hand_back(submission)):
                continue
            try:
                hand_back(self.course, submission, shown)
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
                self._not_handed_back.failed(submission, shown, _now())
        return problems


class _ClassicWatch(_Watch):
    """The watch of a course whose tests stand in the notebooks' own cells."""

    def _look(self, problems: list[str]) -> None:
        self._known: dict[str, Bases] = {}
        super()._look(problems)

    def _lacking(self, submissions: Sequence[Submission]) -> list[Submission]:
        from torchgrade.classic.waiting import to_grade  # noqa: PLC0415

        return to_grade(self.course, submissions, _now())

    def _basis(self, submission: Submission) -> object:
        from torchgrade.gradebook.exercises import exercises_among_tests  # noqa: PLC0415

        checked = bool(exercises_among_tests(self.course, submission.assignment))
        return self._bases(submission.assignment).of(submission.student), super()._basis(submission) if checked else None

    def _due(self, submissions: list[Submission]) -> Due:
        from torchgrade.classic.gradings import Gradings  # noqa: PLC0415
        from torchgrade.runs import due  # noqa: PLC0415

        return due(self.course, submissions, self.assignments, at=_now(), times=Gradings(self.course.results).times)

    def _grade(self, found: Due, undone: Sequence[Submission]) -> list[str]:  # noqa: ARG002 - graded copies have their marks
        from torchgrade.cli.grade_classic import ClassicGrading  # noqa: PLC0415
        from torchgrade.gradebook import GradebookError  # noqa: PLC0415
        from torchgrade.record import RecordError  # noqa: PLC0415

        grading = ClassicGrading(self.course, self.workers, notes=found.notes, quiet=self._quiet)
        self._begin(grading)
        problems: list[str] = []
        for assignment in dict.fromkeys(each.assignment for each in found.now):
            try:
                problems += grading.grade(assignment, [each for each in found.now if each.assignment == assignment])[1]
            except (GradebookError, RecordError) as error:
                problems.append(str(error))
        self._run = None
        self._known.clear()  # they know the gradebook as it was before
        return problems

    def _stamp_to_show(self, submission: Submission) -> str:
        from torchgrade.classic.waiting import stamp_to_show  # noqa: PLC0415

        return stamp_to_show(self._bases(submission.assignment), submission.student)

    def _bases(self, assignment: str) -> Bases:
        """Return the bases of an assignment as it is now, read once until marks change: all of its files are read for them."""
        from torchgrade.classic.basis import Bases  # noqa: PLC0415

        return self._known.get(assignment) or self._known.setdefault(assignment, Bases(self.course, assignment))


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
