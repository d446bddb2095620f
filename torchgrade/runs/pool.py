"""A pool of judges, one process each. A judge that dies or hangs costs one task another try, and nobody else anything.

    this process ──► fork server: imports torch and the engine, once ──► judges, each with its warm worker

The processes are pebble's. This one imports no torch, and so can enter marks while the judges get ready and grade.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from pathlib import Path
from typing import Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessPool

from torchgrade.course import Course
from torchgrade.runs.clock import steady_clock

TRIES = 3
_SPARE_SECONDS = 120.0
_LOOK_SECONDS = 0.2
"""How soon it is told that a task has begun."""

Key = TypeVar("Key")


@dataclasses.dataclass(frozen=True, slots=True)
class Task:
    """A function of :mod:`torchgrade.runs.judging` by name, with its arguments."""

    function: str
    arguments: tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a task returned, or why it did not: our fault, in one line."""

    value: Any = None
    error: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Event(Generic[Key]):
    """A judge has begun a task (no answer yet), or the task has ended."""

    key: Key
    answer: Answer | None = None


def in_judges(course: Course, tasks: Iterable[tuple[Key, Task]], *, workers: int = 1, jail: bool = True) -> Generator[Event[Key]]:
    """Do these tasks. Closing the iterator stops what is in flight.

    ``tasks`` is asked for the next one when a judge will soon be free for it; the run ends when they do.
    """
    multiprocessing.set_forkserver_preload(["torchgrade.runs.server"])
    forkserver.ensure_running()  # and import, while the caller does whatever it does before it asks for the first
    run: _Run[Key] = _Run(course, workers, jail)
    return run.events(iter(tasks))


@dataclasses.dataclass(slots=True)
class _Flight(Generic[Key]):
    """A task that was given to the pool."""

    key: Key
    task: Task
    tries: int = 1
    begun: bool = False


class _Run(Generic[Key]):
    """One run's pool, made anew where all its judges were lost at once."""

    def __init__(self, course: Course, workers: int, jail: bool) -> None:
        self._course, self._workers, self._jail = course, workers, jail
        limits = course.limits
        self._seconds = limits.submission_seconds + limits.cells_seconds * 5 + _SPARE_SECONDS
        self._flying: dict[Future[Answer], _Flight[Key]] = {}
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPool:
        steady_clock()
        return ProcessPool(
            max_workers=self._workers,
            context=multiprocessing.get_context("forkserver"),
            initializer=_start,
            initargs=(self._course.root, self._jail),
        )

    def events(self, tasks: Iterator[tuple[Key, Task]]) -> Generator[Event[Key]]:
        """What happens, as it happens."""
        try:
            while self._fill(tasks):
                done = wait(self._flying, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED).done
                yield from self._begun()
                for future in done:
                    yield from self._ended(future)
            self._pool.close()
        except BaseException:
            self._pool.stop()
            raise
        finally:
            self._pool.join()

    def _fill(self, tasks: Iterator[tuple[Key, Task]]) -> bool:
        """Keep one task more than there are judges in flight, so that none of them waits for us."""
        while len(self._flying) <= self._workers and (following := next(tasks, None)) is not None:
            self._schedule(_Flight(*following))
        return bool(self._flying)

    def _schedule(self, flight: _Flight[Key]) -> None:
        try:
            future: Future[Answer] = self._pool.schedule(_do, args=(flight.task,), timeout=self._seconds)
        except RuntimeError:  # the pool broke
            self._pool.stop()
            self._pool.join()
            self._pool = self._new_pool()
            future = self._pool.schedule(_do, args=(flight.task,), timeout=self._seconds)
        self._flying[future] = flight

    def _begun(self) -> Generator[Event[Key]]:
        for future, flight in self._flying.items():
            if not flight.begun and (future.running() or future.done()):
                flight.begun = True
                yield Event(flight.key)

    def _ended(self, future: Future[Answer]) -> Generator[Event[Key]]:
        flight = self._flying.pop(future)
        answer, again = _outcome(future)
        if again and flight.tries < TRIES:
            self._schedule(dataclasses.replace(flight, tries=flight.tries + 1))
        else:
            yield Event(flight.key, answer)


def _outcome(future: Future[Answer]) -> tuple[Answer, bool]:
    """The answer, and whether another try may help."""
    try:
        return future.result(), False
    except TimeoutError:
        return Answer(error="the judge did not come to an end; run the same command again"), False
    except ProcessExpired as error:
        text = f"the judge ended unexpectedly (exit status {error.exitcode}); run the same command again"
        return Answer(error=text), True
    except BrokenProcessPool:
        return Answer(error="all judges ended unexpectedly; run the same command again"), True
    except Exception as error:  # noqa: BLE001 - a bug of ours must cost one task, not the run
        return Answer(error=f"{type(error).__name__}: {error}".splitlines()[0]), False


def _start(root: Path, jail: bool) -> None:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    judging.start(root, jail)


def _do(task: Task) -> Answer:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    value, error = judging.do(task.function, task.arguments)
    return Answer(value, error)
