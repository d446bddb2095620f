"""Which of the submissions that arrived are graded now, in what order, and which wait: fair between students, and bounded.

A student's gradings are counted in what is kept of each (records; of a classic course a line), so that nothing is forgotten when
the watch is restarted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import functools
from collections.abc import Callable, Iterable, Sequence

from torchgrade.course import Course, Submission
from torchgrade.record import Results

HOUR = dt.timedelta(hours=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Due:
    """The submissions to grade now, in this order; notes for some of their students; and until when each of the others waits."""

    now: tuple[Submission, ...]
    notes: dict[Submission, str]
    later: dict[Submission, dt.datetime]


Times = Callable[[str, str], Iterable[dt.datetime]]
"""When each new submission of a student (first) was graded for an assignment (second)."""


def due(
    course: Course, submissions: Iterable[Submission], assignments: Sequence[str], *, at: dt.datetime, times: Times | None = None
) -> Due:
    """Sort out submissions that need grading. Who had the fewest gradings within the hour comes first, then who waits longest.

    A student may have ``c.Watch.gradings_per_hour`` over all these ``assignments``. ``times`` are those of the records, if not
    given.
    """
    most = course.watch.gradings_per_hour
    graded = times or functools.partial(_in_records, Results(course.results))
    waiting: dict[str, list[Submission]] = {}
    for submission in sorted(submissions, key=lambda each: (_arrived(course, each), each)):
        waiting.setdefault(submission.student, []).append(submission)
    turns: list[tuple[int, float, Submission]] = []
    notes: dict[Submission, str] = {}
    later: dict[Submission, dt.datetime] = {}
    for student, theirs in waiting.items():
        recent = sorted(when for name in assignments for when in graded(student, name) if at - HOUR < when <= at)
        for number, submission in enumerate(theirs, start=len(recent) + 1):
            if number > most:
                later[submission] = recent[number - most - 1] + HOUR if number - most <= len(recent) else at + HOUR
                continue
            turns.append((number, _arrived(course, submission), submission))
            if number == most:
                free = (recent[0] if recent else at) + HOUR
                notes[submission] = (
                    f"{most} of your submissions were graded within an hour, as many as this course grades; "
                    f"what you hand in now is graded after {free:%H:%M} UTC."
                )
    return Due(tuple(submission for *_, submission in sorted(turns)), notes, later)


def new_hand_ins(gradings: Iterable[tuple[str, str]]) -> list[dt.datetime]:
    """When what was new among these was graded; what was graded again is the instructor's doing.

    Each grading, oldest first, is the digest of what was handed in, and when it was graded (ISO 8601; empty if nobody knows).
    """
    times, before = [], ""
    for handed_in, graded_at in gradings:
        if handed_in != before and graded_at:
            times.append(dt.datetime.fromisoformat(graded_at))
        before = handed_in
    return times


def _in_records(results: Results, student: str, assignment: str) -> list[dt.datetime]:
    return new_hand_ins((each.digests.notebook, each.graded_at) for each in results.history(student, assignment))


def _arrived(course: Course, submission: Submission) -> float:
    path = course.submission(submission.student, submission.assignment)
    for each in (path, path.parent):  # a classic course's notebooks may have other names
        with contextlib.suppress(OSError):
            return each.lstat().st_mtime
    return 0.0
