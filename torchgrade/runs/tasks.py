"""Tasks for judges, and what becomes of them; it works the same way wherever the judges are.

    tasks ──► a pool's judges ──► Event: begun ──► Event: ended, with its answer
       ▲             │
       └─────────────┘ the judge was lost: the same task again, three times at most, then what is to be done instead

Pools are on this machine (:mod:`torchgrade.runs.pool`) or on many (:mod:`torchgrade.runs.cluster`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Generic, Protocol, TypeVar

from torchgrade.course import Submission
from torchgrade.notebook import NotebookFile
from torchgrade.record import Record

TRIES = 3
_LOOK_SECONDS = 0.2
"""How soon it is reported that a task has begun, in seconds."""

Key = TypeVar("Key")


@dataclasses.dataclass(frozen=True, slots=True)
class GradeSubmission:
    """Grade what a student handed in, and add ``note`` after the record's problems.

    If there is an ``earlier`` record, only its checks that wait for a GPU are run, with those that they need; the others stand.
    ``seed`` and ``races`` are those of :meth:`Judge.grade`.
    """

    submission: Submission
    file: NotebookFile
    note: str = ""
    earlier: Record | None = None
    seed: int | None = None
    races: bool | None = None

    @property
    def instead(self) -> LeaveOpen | None:
        """Return the task that replaces this one once it has cost too many judges; none if there is an earlier record to keep."""
        return LeaveOpen(self.submission, self.file) if self.earlier is None else None


@dataclasses.dataclass(frozen=True, slots=True)
class LeaveOpen:
    """Make the record of a submission that is not graded because the judges that tried were lost."""

    submission: Submission
    file: NotebookFile


@dataclasses.dataclass(frozen=True, slots=True)
class SolutionAttempt:
    """A solution cell to be graded by the checks of its exercise, with the seed of the run.

    ``checks``: only these, if any are named. ``to_first_failure``: no check is run after one has failed.
    """

    exercise: str
    text: str
    seed: int
    checks: tuple[str, ...] = ()
    to_first_failure: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class GradeAttempt:
    """Grade a notebook of the assignment with only this solution in it; only its exercise is looked at."""

    assignment: str
    attempt: SolutionAttempt


Task = GradeSubmission | LeaveOpen | GradeAttempt
"""The tasks of a judge. :func:`torchgrade.runs.judging.do` does it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """The record that a task made or, if it made none, our error in one line. Both, if something was done in its place."""

    record: Record | None = None
    error: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Event(Generic[Key]):
    """A judge has begun a task (no answer yet), or the task has ended."""

    key: Key
    answer: Answer | None = None


class Pool(Protocol):
    """Judges, here or elsewhere."""

    def places(self) -> int:
        """How many tasks should be in flight."""
        ...

    def schedule(self, task: Task) -> Future[Answer]:
        """Have the task done; the future is running once a judge has begun it."""
        ...

    def explain(self, error: Exception) -> tuple[str, int]:
        """Return what a future raised, in one line, and how many judges a task may cost in this way; 0 if no judge was lost."""
        ...

    def close(self) -> None:
        """Close the pool: everything is done."""
        ...

    def stop(self) -> None:
        """End at once; what is in flight is lost."""
        ...


@dataclasses.dataclass(slots=True)
class _Flight(Generic[Key]):
    """A task that was given to the pool."""

    key: Key
    task: Task
    tries: int = 1
    begun: bool = False
    lost: str = ""
    """Why this is done instead of another task."""


def do_tasks(pool: Pool, tasks: Iterator[tuple[Key, Task]]) -> Generator[Event[Key]]:
    """Yield events as they happen. Closing the iterator stops what is in flight.

    ``tasks`` is asked for the next task when a judge will soon be free for it; the run ends when the tasks do.
    """
    return _TasksInFlight[Key](pool).events(tasks)


class _TasksInFlight(Generic[Key]):
    """The tasks that a pool has been given, and what becomes of them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._flying: dict[Future[Answer], _Flight[Key]] = {}

    def events(self, tasks: Iterator[tuple[Key, Task]]) -> Generator[Event[Key]]:
        try:
            while self._fill(tasks):
                done = wait(self._flying, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED).done
                yield from self._begun()
                for future in done:
                    yield from self._ended(future)
        except BaseException:
            self._pool.stop()
            raise
        self._pool.close()

    def _fill(self, tasks: Iterator[tuple[Key, Task]]) -> bool:
        while len(self._flying) < self._pool.places() and (following := next(tasks, None)) is not None:
            self._schedule(_Flight(*following))
        return bool(self._flying)

    def _schedule(self, flight: _Flight[Key]) -> None:
        self._flying[self._pool.schedule(flight.task)] = flight

    def _begun(self) -> Generator[Event[Key]]:
        for future, flight in self._flying.items():
            if not flight.begun and (future.running() or future.done()):
                flight.begun = True
                yield Event(flight.key)

    def _ended(self, future: Future[Answer]) -> Generator[Event[Key]]:
        flight = self._flying.pop(future)
        try:
            answer = future.result()
        except Exception as error:  # noqa: BLE001 - a bug of ours must cost one task, not the run
            line, tries = self._pool.explain(error)
            if flight.tries < tries:
                self._schedule(dataclasses.replace(flight, tries=flight.tries + 1))
                return
            if tries and isinstance(flight.task, GradeSubmission) and (instead := flight.task.instead) is not None:
                self._schedule(dataclasses.replace(flight, task=instead, tries=1, lost=line))
                return
            answer = Answer(error=line)
        if flight.lost:
            answer = dataclasses.replace(answer, error=flight.lost)
        yield Event(flight.key, answer)
