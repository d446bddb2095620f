"""Which submissions of a classic course have to be graded: their exercises by judges, or all of them."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from torchgrade.classic.basis import Bases
from torchgrade.classic.gradings import Gradings
from torchgrade.course import Course, Submission
from torchgrade.gradebook.exercises import exercises_among_tests
from torchgrade.runs import Regrade
from torchgrade.runs import to_grade as without_record
from torchgrade.runs.patience import rests


def to_judge(
    course: Course,
    submissions: Iterable[Submission],
    *,
    regrades: Mapping[str, Regrade] = MappingProxyType({}),
    at: dt.datetime | None = None,
) -> list[Submission]:
    """Return the submissions with exercises whose notebook has no record of what is there now.

    ``regrades`` and ``at`` are as in :func:`torchgrade.runs.to_grade`.
    """
    there = list(submissions)
    checked = {name for name in {each.assignment for each in there} if exercises_among_tests(course, name)}
    mixed = [each for each in there if each.assignment in checked]
    mixed = [each for each in mixed if os.path.lexists(course.submission(each.student, each.assignment))]
    return without_record(course, mixed, regrades=regrades, at=at)


def to_grade(course: Course, submissions: Iterable[Submission], at: dt.datetime) -> list[Submission]:
    """Return the submissions that are new or have changed, or whose checks have, as seen at a time by whoever looks repeatedly.

    What failed as it stands is not among them: never, where it is the submission's fault, and for a while, where it is ours.
    """
    there = list(submissions)
    lacking = set(to_judge(course, there, at=at))
    bases = {name: Bases(course, name) for name in {each.assignment for each in there}}
    gradings = Gradings(course.results)

    def wanted(submission: Submission) -> bool:
        assignment, student = submission
        if submission in lacking:
            return True
        failed = gradings.failures(student, assignment, bases[assignment].of(student))
        if failed and (not failed[-1].ours or rests([dt.datetime.fromisoformat(each.graded_at) for each in failed], at)):
            return False
        return not bases[assignment].is_current(student)

    return [each for each in there if wanted(each)]


def stamp_to_show(bases: Bases, student: str) -> str:
    """That of the student's graded copies, if they were made from what is there now; empty where not."""
    return bases.of(student).stamp if bases.is_current(student) else ""
