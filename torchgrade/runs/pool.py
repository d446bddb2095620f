"""A pool of judges, one process each. A judge that dies or hangs costs one task another try, and nobody else anything.

    this process ──► fork server: imports torch and the engine, once ──► judges, each with its warm worker

The processes are pebble's. This one imports no torch, and so can enter marks while the judges get ready and grade.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
from collections.abc import Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, ProcessPool

from torchgrade.course import Course

TRIES = 3
_SPARE_SECONDS = 120.0


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


def in_judges(course: Course, tasks: Mapping[str, Task], *, workers: int = 1, jail: bool = True) -> Generator[tuple[str, Answer]]:
    """Do these tasks; each one's key and answer come as it ends. Closing the iterator stops what is in flight."""
    if tasks:
        multiprocessing.set_forkserver_preload(["torchgrade.runs.server"])
        forkserver.ensure_running()  # and import, while the caller does whatever it does before it asks for the first
    return _as_they_end(course, tasks, workers, jail)


def _as_they_end(course: Course, tasks: Mapping[str, Task], workers: int, jail: bool) -> Generator[tuple[str, Answer]]:
    if not tasks:
        return
    limit = course.limits.submission_seconds + course.limits.cells_seconds * 5 + _SPARE_SECONDS
    tries = dict.fromkeys(tasks, 1)
    pool = ProcessPool(
        max_workers=min(workers, len(tasks)),
        context=multiprocessing.get_context("forkserver"),
        initializer=_start,
        initargs=(course.root, jail),
    )

    def schedule(key: str) -> Future[Answer]:
        future: Future[Answer] = pool.schedule(_do, args=(tasks[key],), timeout=limit)
        return future

    try:
        running = {schedule(key): key for key in tasks}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                key = running.pop(future)
                answer, again = _outcome(future)
                if again and tries[key] < TRIES:
                    tries[key] += 1
                    running[schedule(key)] = key
                    continue
                yield key, answer
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()


def _outcome(future: Future[Answer]) -> tuple[Answer, bool]:
    """The answer, and whether another try may help."""
    try:
        return future.result(), False
    except TimeoutError:
        return Answer(error="the judge did not come to an end; run the same command again"), False
    except ProcessExpired as error:
        text = f"the judge ended unexpectedly (exit status {error.exitcode}); run the same command again"
        return Answer(error=text), True
    except Exception as error:  # noqa: BLE001 - a bug of ours must cost one task, not the run
        return Answer(error=f"{type(error).__name__}: {error}".splitlines()[0]), False


def _start(root: Path, jail: bool) -> None:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    judging.start(root, jail)


def _do(task: Task) -> Answer:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    value, error = judging.do(task.function, task.arguments)
    return Answer(value, error)
