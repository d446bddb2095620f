"""The two kinds of batch: a class's submissions, whose records go to disk, and the audit's solutions, whose records come back."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from torchgrade.course import Course, Submission
from torchgrade.errors import cannot
from torchgrade.files import append_line
from torchgrade.record import Record, RecordError, Results, digest
from torchgrade.runs.pool import in_judges
from torchgrade.runs.reuse import current_record, read_submission, to_complete
from torchgrade.runs.tasks import Answer, Event, GradeAttempt, GradeSubmission, Key, SolutionAttempt, Task


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """A judge has begun to grade a submission."""

    submission: Submission


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """The result for one submission: its record, which is on disk, or an error of ours, in one line.

    There are both if the judges that graded it were lost: the record then leaves all checks open, so that the next run grades the
    submission again. ``same_as`` names the submission with the same content that was graded in its place.
    """

    submission: Submission
    record: Record | None = None
    error: str = ""
    same_as: Submission | None = None


class Judges(Protocol):
    """What does the tasks: :func:`in_judges` on this machine, or anything that behaves like it."""

    def __call__(self, course: Course, tasks: Iterable[tuple[Key, Task]], *, workers: int, jail: bool) -> Generator[Event[Key]]:
        """Do these tasks, ``workers`` of them at a time."""
        ...


class ClassRun:
    """A run that grades these submissions: iterate to run it. Each is yielded once its record is written, as they end.

    What is wrong with a submission is in its record; a :class:`Done` with an error is a submission that we could not grade. A
    record is on disk before it is reported, so that an end at any moment loses only what was in flight. Submissions with the same
    content are graded once. ``notes`` are lines for the student that become part of the record. ``complete``: if a provisional
    record rests on what is there now, only the checks that wait for a GPU are run, and the others stand. The judges start at
    once, so they get ready while the caller does something else.
    """

    def __init__(
        self,
        course: Course,
        submissions: Iterable[Submission],
        *,
        workers: int = 1,
        jail: bool = True,
        notes: Mapping[Submission, str] | None = None,
        complete: bool = False,
        judges: Judges = in_judges,
    ) -> None:
        self._course, self._complete, self._jail = course, complete, jail
        self._results = Results(course.results)
        self._waiting = deque(_by_content(course, submissions, notes or {}, apart=complete))
        self._events: Iterator[Event[_Alike]] = iter(())
        if self._waiting:
            self._events = judges(course, self._tasks(), workers=min(workers, len(self._waiting)), jail=jail)

    def finish(self) -> None:
        """Begin nothing more; finish grading what is in flight."""
        self._waiting.clear()

    def close(self) -> None:
        """Stop at once; what is in flight is lost."""
        if isinstance(self._events, Generator):
            self._events.close()

    def _tasks(self) -> Iterator[tuple[_Alike, Task]]:
        while self._waiting:
            alike = self._waiting.popleft()
            first = alike.submissions[0]
            # Read again, after grouping by content: a class is not held in memory, and what is graded is what is there now.
            file = read_submission(self._course, first)
            earlier = to_complete(self._course, first, file) if self._complete else None
            yield alike, GradeSubmission(first, file, alike.note, earlier)

    def __iter__(self) -> Iterator[Begun | Done]:
        for event in self._events:
            first = event.key.submissions[0]
            if event.answer is None:
                yield Begun(first)
                continue
            for submission in event.key.submissions:
                yield self._done(submission, event.answer, event.key)

    def _done(self, submission: Submission, answer: Answer, alike: _Alike) -> Done:
        """Write the record that was made, for one of the submissions with this content."""
        first = alike.submissions[0]
        same_as = None if submission == first else first
        if answer.record is None:
            return Done(submission, error=answer.error, same_as=same_as)
        if answer.error and current_record(self._course, submission.assignment, submission.student, jail=self._jail) is not None:
            return Done(submission, error=answer.error, same_as=same_as)  # what was decided stands
        record = dataclasses.replace(answer.record, student=submission.student)
        if same_as and record.digests.notebook != alike.content:
            error = f"{first}, whose content was the same, was changed before it was graded; run the same command again"
            return Done(submission, error=error, same_as=same_as)
        try:
            self._results.write(record)
        except RecordError as error:
            return Done(submission, error=str(error), same_as=same_as)
        return Done(submission, record, answer.error, same_as)


@dataclasses.dataclass(frozen=True, slots=True)
class _Alike:
    """Submissions with the same content (by its digest) that get the same result."""

    content: str
    note: str
    submissions: tuple[Submission, ...]


def _by_content(
    course: Course, submissions: Iterable[Submission], notes: Mapping[Submission, str], *, apart: bool = False
) -> list[_Alike]:
    """The submissions, grouped by content unless they are to be kept ``apart``.

    A submission that cannot be read forms a group of its own.
    """
    alike: dict[tuple[str, str, str], list[Submission]] = {}
    for submission in submissions:
        file = read_submission(course, submission)
        content = submission.student if file.refusal or apart else digest(file.data)
        alike.setdefault((submission.assignment, content, notes.get(submission, "")), []).append(submission)
    return [_Alike(content, note, tuple(each)) for (_, content, note), each in alike.items()]


def grade_all(course: Course, submissions: Iterable[Submission], *, workers: int = 1, jail: bool = True) -> Iterator[Done]:
    """Grade these submissions as :class:`ClassRun` does, but yield only results."""
    return (event for event in ClassRun(course, submissions, workers=workers, jail=jail) if isinstance(event, Done))


def grade_attempts(
    course: Course, assignment: str, attempts: Mapping[str, SolutionAttempt], *, workers: int = 1
) -> Generator[tuple[str, Record | str]]:
    """Grade solution cells; yields for each its key, and its record or, in one line, why there is none."""
    if not attempts:
        return
    tasks = ((key, GradeAttempt(assignment, attempt)) for key, attempt in attempts.items())
    for event in in_judges(course, tasks, workers=min(workers, len(attempts))):
        if event.answer is not None:
            yield event.key, event.answer.record or event.answer.error


# ---- the log of runs, for programs
#
# ``results/events.jsonl`` has one JSON object per line, and is appended to. Its events are ``run`` (with the number of
# submissions), ``begun``, ``graded``, ``error`` and ``end``, each with ``time`` (ISO 8601, UTC) and ``process``, the number of
# the command's process.


class EventLog:
    """Appends events; each line is written at once, and whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, event: str, **facts: object) -> None:
        """Append one event. Raises :class:`RecordError` if the disk refuses."""
        when = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": when, "event": event, "process": os.getpid(), **facts})
        with cannot(f"write to {self.path}", RecordError):
            append_line(self.path, line)
