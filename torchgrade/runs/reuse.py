"""One student's record: the one on disk as long as nothing that it rests on has changed, otherwise a new one."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import datetime as dt
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchgrade.course import Course, CourseError, Submission
from torchgrade.errors import cannot
from torchgrade.files import MARKS, write_whole
from torchgrade.judge import environment
from torchgrade.notebook import NotebookFile
from torchgrade.record import Digests, Record, RecordError, Results, Status, digest
from torchgrade.runs.watching import ENOUGH, rests

if TYPE_CHECKING:
    from torchgrade.judge.judge import Judge

_judges: dict[Path, Judge] = {}


def current_record(
    course: Course, assignment: str, student: str, *, jail: bool = True, basis: Digests | None = None
) -> Record | None:
    """The record on disk, if grading again could not change it; ``None`` otherwise.

    An ungraded record is never current, and a provisional one is not current on a machine with a GPU.
    ``basis`` holds the assignment's digests, for callers that look at many submissions.
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
    """The provisional record of a submission, if a GPU could complete it: made from what is there now, with this engine.

    ``file`` is what is there now, if it has been read already. Settings and torch's version may be those of another machine; what
    that machine decided stands.
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
    """Return whether a record is of what was handed in last, of these graders and of this engine; settings may differ."""
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
    """Return the submissions without a current record; with ``only``, those whose record has this status.

    ``regrades``, by assignment, add all submissions that they have not graded again yet. A caller that looks again and again
    gives the time, ``at``: then a submission that was left ungraded as it is now is left alone for a while.
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
    """When a submission, as it is now, was left ungraded, oldest first: only the latest such times in a row."""
    now = rests_on(course, submission, basis=basis)
    times: list[dt.datetime] = []
    for record in itertools.islice(Results(course.results).newest_first(submission.student, submission.assignment), ENOUGH):
        if record.status is not Status.UNGRADED or record.digests != now or not record.graded_at:
            break
        times.append(dt.datetime.fromisoformat(record.graded_at))
    return times[::-1]


def record_for(course: Course, assignment: str, student: str) -> Record:
    """The student's current record, made now if there is none. The judge is kept for this process's next call.

    Raises :class:`CourseError` if there is no submission, and what :meth:`Judge.grade` raises.
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


# ---- a regrade that was stopped and goes on
#
# The same command does not do again what was already done.
#
# torchgrade grade A --regrade ──► results/.regrade-A-<of whom>.json: what each had before ──► removed at the end
#                                          └── there already ──► those whose records have changed since are done


class Regrade:
    """One regrade of these students' submissions of an assignment. Raises :class:`RecordError` if it cannot be noted."""

    def __init__(self, course: Course, assignment: str, students: Iterable[str]) -> None:
        self._results, self._assignment = course.results, assignment
        now = {student: self._kept(student) for student in sorted(students)}
        # Named after its students: regrading one of them in between does not touch the regrade of the class.
        self._path = course.results / f".regrade-{assignment}-{digest(*now)[:8]}.json"
        before = self._noted()
        self.goes_on = before is not None and before.keys() == now.keys()
        """True if a regrade of the same students was stopped, and this one goes on with it."""
        self._before = before if before is not None and self.goes_on else now
        if not self.goes_on:
            self._note()

    def has_record(self, student: str) -> bool:
        """Return whether this regrade has made the student's record of checks."""
        return self._before[student][0] != self._kept(student)[0]

    def has_grading(self, student: str) -> bool:
        """Return whether this regrade has graded the whole submission, in a classic course."""
        return self._before[student][1] != self._kept(student)[1]

    def end(self) -> None:
        """Forget the regrade: all of it is done."""
        self._path.unlink(missing_ok=True)

    def _kept(self, student: str) -> list[str]:
        """Digests of the student's record and of the list of gradings, as they are now."""
        folder = self._results / student
        return [_digest(folder / f"{self._assignment}{ending}") for ending in (".json", ".gradings.jsonl")]

    def _noted(self) -> Mapping[str, list[str]] | None:
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = json.loads(self._path.read_bytes())
            return {str(student): [str(record), str(gradings)] for student, (record, gradings) in found.items()}
        return None

    def _note(self) -> None:
        with cannot(f"write {self._path}", RecordError, then="Nothing was graded."):
            write_whole(self._path, json.dumps(self._before), mode=MARKS)


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""
