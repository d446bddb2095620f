"""Which of the submissions that arrived are graded now, in which order, and which wait: fair to all students, and bounded.

A student's gradings are counted from what is kept of each (a record or, in a classic course, a line), so nothing is forgotten
when the watch is restarted.
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
"""For a student (first) and an assignment (second): when each new submission was graded."""


def due(
    course: Course, submissions: Iterable[Submission], assignments: Sequence[str], *, at: dt.datetime, times: Times | None = None
) -> Due:
    """Sort out submissions that need grading: first students with the fewest gradings in the hour, then those waiting longest.

    A student may have ``c.Watch.gradings_per_hour`` gradings in all these ``assignments`` together. ``times``, if not given, are
    those of the records.
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
    """When each of these that was new was graded; grading the same one again is the instructor's doing.

    Each grading, oldest first, is the digest of what was handed in and the time of grading (ISO 8601; empty if unknown).
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


# ---- pauses after a failure that was our fault
#
# They keep a bug from costing much, and are short enough after a busy moment: a minute after the first failure, twice as long
# after each further one, two hours at most. There is no pause once anything that the grading rests on has changed.

FIRST, MOST = dt.timedelta(minutes=1), dt.timedelta(hours=2)
ENOUGH = 8
"""After this many failures in a row the pause is :data:`MOST`; more of them need not be counted."""


def rests(failures: Sequence[dt.datetime], at: dt.datetime) -> bool:
    """Return whether what failed at these times in a row, oldest first, is still left alone; not if the clock was set back."""
    if not failures:
        return False
    pause: dt.timedelta = min(FIRST * 2 ** min(len(failures) - 1, ENOUGH), MOST)
    return failures[-1] <= at < failures[-1] + pause


class Patience:
    """The failures in this process that left no trace elsewhere, with what the gradings rested on."""

    def __init__(self) -> None:
        self._failed: dict[Submission, tuple[object, list[dt.datetime]]] = {}

    def failed(self, submission: Submission, basis: object, at: dt.datetime) -> None:
        """Note a failure; ``basis`` says what the grading rested on."""
        known, times = self._failed.get(submission, (basis, []))
        self._failed[submission] = basis, [*(times if known == basis else ()), at]

    def waits(self, submission: Submission, basis: Callable[[Submission], object], at: dt.datetime) -> bool:
        """Return whether it has failed as it is now, so lately that it is still left alone; only then is ``basis`` called."""
        if submission not in self._failed:
            return False
        known, times = self._failed[submission]
        return rests(times, at) and known == basis(submission)
