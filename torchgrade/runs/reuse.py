"""One student's record: the one on disk while all that it rests on is unchanged, a new one otherwise."""

from __future__ import annotations

import atexit
import dataclasses
import datetime as dt
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchgrade.course import Course, CourseError, Submission
from torchgrade.judge import environment
from torchgrade.notebook import NotebookFile
from torchgrade.record import Digests, Record, Results, Status, digest
from torchgrade.runs.patience import ENOUGH, rests
from torchgrade.runs.regrading import Regrade

if TYPE_CHECKING:
    from torchgrade.judge.judge import Judge

_judges: dict[Path, Judge] = {}


def current_record(
    course: Course, assignment: str, student: str, *, jail: bool = True, basis: Digests | None = None
) -> Record | None:
    """The record on disk, if grading again could not change it; ``None`` otherwise.

    An ungraded one is never current, and a provisional one is not where there is a GPU.
    ``basis`` holds the assignment's digests, where many submissions are looked at.
    """
    record = Results(course.results).read(student, assignment)
    if record is None or record.status is Status.UNGRADED:
        return None
    if record.status is Status.PROVISIONAL and environment.has_gpu():
        return None
    file = read_submission(course, Submission(assignment, student))
    basis = basis or environment.digests(course, assignment, jail=jail)
    if record.digests != dataclasses.replace(basis, notebook=digest(file.data)):
        return None
    if file.refusal and record.problems[:1] != (file.refusal,):
        return None
    return record


def to_complete(course: Course, submission: Submission, file: NotebookFile | None = None) -> Record | None:
    """The provisional record of a submission, if a GPU could complete it: made of what is there now, with this engine.

    ``file`` is what is there now, where it was read already. Settings and torch's version may be another machine's; what it
    decided stands.
    """
    record = Results(course.results).read(submission.student, submission.assignment)
    if record is None or record.status is not Status.PROVISIONAL:
        return None
    file = file or read_submission(course, submission)
    now = environment.digests(course, submission.assignment, file.data, jail=True)
    same = dataclasses.replace(now, settings=record.digests.settings)
    return record if record.digests == same else None


def rests_on(course: Course, submission: Submission, *, basis: Digests | None = None) -> Digests:
    """All that a record of what is there now would rest on; ``basis`` as in :func:`current_record`."""
    basis = basis or environment.digests(course, submission.assignment, jail=True)
    return dataclasses.replace(basis, notebook=digest(read_submission(course, submission).data))


def is_of_what_is_there(course: Course, record: Record) -> bool:
    """Return whether a record is of what was handed in last, and of these graders and this engine; settings may be others."""
    now = rests_on(course, Submission(record.assignment, record.student))
    return dataclasses.replace(now, settings=record.digests.settings) == record.digests


def read_submission(course: Course, submission: Submission) -> NotebookFile:
    """Return what this student handed in, as it is now."""
    path = course.submission(submission.student, submission.assignment)
    return NotebookFile.read(path, course.limits.notebook_bytes, below=course.submitted)


def to_grade(
    course: Course,
    submissions: Iterable[Submission],
    *,
    jail: bool = True,
    regrades: Mapping[str, Regrade] = MappingProxyType({}),
    only: str = "",
    at: dt.datetime | None = None,
) -> list[Submission]:
    """Return the submissions without a current record: with ``only`` those whose record has this status.

    ``regrades``, by assignment, have all graded again that they have not graded again yet. Whoever looks again and again says at
    what time: then one that was left ungraded as it is now is left alone for a while.
    """
    results = Results(course.results)
    basis: dict[str, Digests] = {}

    def wanted(submission: Submission) -> bool:
        assignment, student = submission
        if only:
            record = results.read(student, assignment)
            return record is not None and record.status == only
        if assignment in regrades and not regrades[assignment].has_record(student):
            return True
        if assignment not in basis:
            basis[assignment] = environment.digests(course, assignment, jail=jail)
        if current_record(course, assignment, student, jail=jail, basis=basis[assignment]) is not None:
            return False
        return at is None or not rests(_left_open(course, submission, basis[assignment]), at)

    return [submission for submission in submissions if wanted(submission)]


def _left_open(course: Course, submission: Submission, basis: Digests) -> list[dt.datetime]:
    """When a submission was left ungraded as it is now, oldest first: those of the last times in a row that matter."""
    now = rests_on(course, submission, basis=basis)
    times: list[dt.datetime] = []
    for record in itertools.islice(Results(course.results).newest_first(submission.student, submission.assignment), ENOUGH):
        if record.status is not Status.UNGRADED or record.digests != now or not record.graded_at:
            break
        times.append(dt.datetime.fromisoformat(record.graded_at))
    return times[::-1]


def record_for(course: Course, assignment: str, student: str) -> Record:
    """The student's current record, graded now if there is none. The judge is kept for the next call of this process.

    Raises :class:`CourseError` where there is no submission, and what :meth:`Judge.grade` raises.
    """
    record = current_record(course, assignment, student)
    if record is not None:
        return record
    if student not in course.students(assignment):
        raise CourseError(f"{student} has not handed in {assignment}: there is no {course.submitted / student / assignment}")
    judge = _judges.get(course.root)
    if judge is None:
        from torchgrade.judge.judge import Judge  # noqa: PLC0415 - imports torch

        judge = _judges[course.root] = Judge(course)
        atexit.register(judge.close)
    record = judge.grade(assignment, student, course.submission(student, assignment))
    Results(course.results).write(record)
    return record
