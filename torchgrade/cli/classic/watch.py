"""The steps of a look of ``torchgrade watch`` in a classic course: told by graded copies, the gradebook and the gradings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from torchgrade.classic.basis import Bases, stamp_to_show, to_grade
from torchgrade.classic.gradings import Gradings
from torchgrade.cli.classic.grade import ClassicGrading
from torchgrade.cli.strategy import Stoppable
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError
from torchgrade.gradebook.cells import exercises_among_tests
from torchgrade.record import RecordError
from torchgrade.runs import Due, due
from torchgrade.runs.reuse import rests_on


class ClassicSteps:
    """See :class:`torchgrade.cli.strategy.WatchSteps`."""

    def __init__(self, course: Course, workers: int, *, quiet: bool) -> None:
        self._course, self._workers, self._quiet = course, workers, quiet
        self._known: dict[str, Bases] = {}

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return those whose graded copies or marks are not of what is there now."""
        return to_grade(self._course, submissions, at)

    def basis(self, submission: Submission) -> object:
        """Return the digests of both: what the marks rest on, and what a record of the exercises would."""
        checked = bool(exercises_among_tests(self._course, submission.assignment))
        of_record = rests_on(self._course, submission) if checked else None
        return self._bases(submission.assignment).of(submission.student), of_record

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort them out by the times of earlier gradings."""
        return due(self._course, submissions, assignments, at=at, times=Gradings(self._course.results).times)

    def grade(
        self,
        found: Due,
        undone: Sequence[Submission],  # noqa: ARG002 - graded copies have their marks
        begun: Callable[[Stoppable], None],
    ) -> list[str]:
        """Grade one assignment after the other; the problems."""
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
        return stamp_to_show(self._bases(submission.assignment), submission.student)

    def _bases(self, assignment: str) -> Bases:
        """Return the bases of an assignment as it is now, read once until marks change: all of its files are read for them."""
        return self._known.get(assignment) or self._known.setdefault(assignment, Bases(self._course, assignment))
