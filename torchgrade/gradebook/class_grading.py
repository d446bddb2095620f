"""A class's submissions, graded and entered into the gradebook as they come, with whoever wants to know told of it.

submissions ──► runs: those without a current record are graded ──► records ──► gradebook
            told to: the progress that is shown, results/events.jsonl
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from torchgrade.course import Course, Submission
from torchgrade.gradebook.recording import record_marks
from torchgrade.record import Record
from torchgrade.report.terminal import Progress
from torchgrade.runs import Begun, ClassRun, EventLog

Enter = Callable[[Course, Iterable[Submission | Record]], list[str]]


def grade_and_record(
    course: Course,
    run: ClassRun,
    *,
    unchanged: Sequence[Submission],
    todo: Sequence[Submission],
    progress: Progress,
    enter: Enter = record_marks,
) -> list[str]:
    """Do the run, which grades ``todo``, and enter all marks; one line for each problem, none if all went well.

    Submissions that are ``unchanged`` are looked at too: an earlier run may have ended before their marks were entered.
    ``enter`` takes each of the submissions as it is graded, or the record of one that was graded now: whoever has another way
    to the gradebook gives another function.
    """
    log = EventLog(course.results / "events.jsonl")
    problems: list[str] = []

    def graded() -> Iterator[Submission | Record]:
        yield from unchanged
        for event in run:
            name = str(event.submission)
            facts = event.submission._asdict()
            if isinstance(event, Begun):
                progress.begun(name)
                log.write("begun", **facts)
                continue
            progress.done(name, record := event.record)
            if event.error:
                log.write("error", **facts, error=event.error)
                problems.append(f"{event.submission.student}: {event.error}")
            if record is not None:
                marks = {"status": record.status.value, "points": record.points, "max_points": record.max_points}
                same = {"same_as": event.same_as.student} if event.same_as else {}
                log.write("graded", **facts, **marks, seconds=round(record.seconds, 3), **same)
                yield record

    log.write("run", submissions=len(todo), unchanged=len(unchanged))
    with contextlib.closing(run), progress:
        problems += enter(course, graded())
    log.write("end", problems=len(problems))
    return problems
