"""Which of the submissions that arrived are graded now, in what order, and which wait: fair between students, and bounded.

A student's gradings are counted in the records that were kept, so that nothing is forgotten when the watch is restarted.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Sequence

from torchgrade.course import Course, Submission
from torchgrade.record import Record, Results

HOUR = dt.timedelta(hours=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Due:
    """What is graded now, in this order; the notes for some of their students; and until when each of the others waits."""

    now: tuple[Submission, ...]
    notes: dict[Submission, str]
    later: dict[Submission, dt.datetime]


def due(course: Course, submissions: Iterable[Submission], assignments: Sequence[str], *, at: dt.datetime) -> Due:
    """Sort out submissions that need grading. Who had the fewest gradings within the hour comes first, then who waits longest.

    A student may have ``c.Watch.gradings_per_hour`` over all these ``assignments``.
    """
    most, results = course.watch.gradings_per_hour, Results(course.results)
    waiting: dict[str, list[Submission]] = {}
    for submission in sorted(submissions, key=lambda each: (_arrived(course, each), each)):
        waiting.setdefault(submission.student, []).append(submission)
    turns: list[tuple[int, float, Submission]] = []
    notes: dict[Submission, str] = {}
    later: dict[Submission, dt.datetime] = {}
    for student, theirs in waiting.items():
        times = sorted(
            when for name in assignments for when in gradings(results.history(student, name)) if at - HOUR < when <= at
        )
        for number, submission in enumerate(theirs, start=len(times) + 1):
            if number > most:
                later[submission] = times[number - most - 1] + HOUR if number - most <= len(times) else at + HOUR
                continue
            turns.append((number, _arrived(course, submission), submission))
            if number == most:
                free = (times[0] if times else at) + HOUR
                notes[submission] = (
                    f"{most} of your submissions were graded within an hour, as many as this course grades; "
                    f"what you hand in now is graded after {free:%H:%M} UTC."
                )
    return Due(tuple(submission for *_, submission in sorted(turns)), notes, later)


def gradings(history: Iterable[Record]) -> list[dt.datetime]:
    """When each new notebook among these records was graded; the same notebook graded again is the instructor's doing."""
    times, before = [], ""
    for record in history:
        if record.digests.notebook != before and record.graded_at:
            times.append(dt.datetime.fromisoformat(record.graded_at))
        before = record.digests.notebook
    return times


def _arrived(course: Course, submission: Submission) -> float:
    try:
        return course.submission(submission.student, submission.assignment).lstat().st_mtime
    except OSError:
        return 0.0
