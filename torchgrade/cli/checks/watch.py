"""The steps of a look of ``torchgrade watch`` in a course of checks: everything is told by records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from torchgrade.cli.strategy import Stoppable
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError, grade_and_record
from torchgrade.gradebook.feedback_pages import stamp_to_show
from torchgrade.gradebook.handout import require_graders_as_released
from torchgrade.report.terminal import progress_for
from torchgrade.runs import ClassRun, Due, due, to_grade
from torchgrade.runs.reuse import rests_on


class ChecksSteps:
    """See :class:`torchgrade.cli.strategy.WatchSteps`."""

    def __init__(self, course: Course, workers: int, *, quiet: bool) -> None:
        self._course, self._workers, self._quiet = course, workers, quiet

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return those without a current record."""
        return to_grade(self._course, submissions, at=at)

    def basis(self, submission: Submission) -> object:
        """Return the digests that a record would have."""
        return rests_on(self._course, submission)

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort them out by the times of earlier records."""
        return due(self._course, submissions, assignments, at=at)

    def grade(self, found: Due, undone: Sequence[Submission], begun: Callable[[Stoppable], None]) -> list[str]:
        """Grade in one run, whose judges work through all assignments; the problems."""
        problems: dict[str, str] = {}
        for assignment in dict.fromkeys(each.assignment for each in found.now):
            try:
                require_graders_as_released(self._course, [assignment])
            except GradebookError as error:
                problems[assignment] = str(error)
        todo = [each for each in found.now if each.assignment not in problems]
        run = ClassRun(self._course, todo, workers=self._workers, notes=found.notes)
        begun(run)
        progress = progress_for(len(todo), quiet=self._quiet)
        return [*problems.values(), *grade_and_record(self._course, run, unchanged=undone, todo=todo, progress=progress)]

    def stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the latest record."""
        return stamp_to_show(self._course, submission)
