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


# ---- how long what failed through our own fault is left alone: so that a bug costs little, and a busy moment is soon over
#
# A minute after the first failure, twice as long after each further one, two hours at most; not at all once something has
# changed on which it rests.

FIRST, MOST = dt.timedelta(minutes=1), dt.timedelta(hours=2)
ENOUGH = 8
"""After so many failures in a row it waits :data:`MOST`; more of them need not be counted."""


def rests(failures: Sequence[dt.datetime], at: dt.datetime) -> bool:
    """Return whether what failed at these times in a row, oldest first, is left alone still; not if the clock was set back."""
    if not failures:
        return False
    pause: dt.timedelta = min(FIRST * 2 ** min(len(failures) - 1, ENOUGH), MOST)
    return failures[-1] <= at < failures[-1] + pause


class Patience:
    """The failures in this process that have left no trace elsewhere, with what they rested on."""

    def __init__(self) -> None:
        self._failed: dict[Submission, tuple[object, list[dt.datetime]]] = {}

    def failed(self, submission: Submission, basis: object, at: dt.datetime) -> None:
        """Note a failure, of which ``basis`` says what it rested on."""
        known, times = self._failed.get(submission, (basis, []))
        self._failed[submission] = basis, [*(times if known == basis else ()), at]

    def waits(self, submission: Submission, basis: Callable[[Submission], object], at: dt.datetime) -> bool:
        """Return whether it failed, as it is now, so lately that it is left alone; ``basis`` is asked only then."""
        if submission not in self._failed:
            return False
        known, times = self._failed[submission]
        return rests(times, at) and known == basis(submission)
