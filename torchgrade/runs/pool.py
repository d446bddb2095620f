"""A pool of judges, one process each. A judge that dies or hangs costs one submission another try, and nobody else anything.

    this process ──► fork server: imports torch and the engine, once ──► judges, each with its warm worker ──► records on disk

The processes are pebble's. This one imports no torch, and so can enter marks while the judges get ready and grade. A record is on
disk before the pool hears of it, so that an end at any moment loses only what was in flight.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing import forkserver
from pathlib import Path

from pebble import ProcessExpired, ProcessPool

from torchgrade.course import Course

TRIES = 3
_SPARE_SECONDS = 120.0


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What became of one submission: graded, or why not (our fault, in one line)."""

    student: str
    error: str = ""


def grade_all(
    course: Course, assignment: str, students: Iterable[str], *, workers: int = 1, jail: bool = True
) -> Generator[Done]:
    """Grade these students' submissions; each is told of once its record is written, in the order in which they end.

    What is wrong with a submission is in its record. A :class:`Done` with an error is one that we could not grade. Closing the
    iterator stops what is in flight.
    """
    waiting = list(students)
    if waiting:
        multiprocessing.set_forkserver_preload(["torchgrade.runs.server"])
        forkserver.ensure_running()  # and import, while the caller does whatever it does before it asks for the first
    return _as_they_end(course, assignment, waiting, workers, jail)


def _as_they_end(course: Course, assignment: str, waiting: list[str], workers: int, jail: bool) -> Generator[Done]:
    if not waiting:
        return
    limit = course.limits.submission_seconds + course.limits.cells_seconds * 5 + _SPARE_SECONDS
    tries = dict.fromkeys(waiting, 1)
    pool = ProcessPool(
        max_workers=min(workers, len(waiting)),
        context=multiprocessing.get_context("forkserver"),
        initializer=_start,
        initargs=(course.root, jail),
    )
    try:
        running: dict[Future[str], str] = {
            pool.schedule(_grade, args=(assignment, student), timeout=limit): student for student in waiting
        }
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                student = running.pop(future)
                error, again = _outcome(future)
                if again and tries[student] < TRIES:
                    tries[student] += 1
                    running[pool.schedule(_grade, args=(assignment, student), timeout=limit)] = student
                    continue
                yield Done(student, error)
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()


def _outcome(future: Future[str]) -> tuple[str, bool]:
    """The error, if any, and whether another try may help."""
    try:
        return future.result(), False
    except TimeoutError:
        return "the judge did not come to an end; run the same command again", False
    except ProcessExpired as error:
        return f"the judge ended unexpectedly (exit status {error.exitcode}); run the same command again", True
    except Exception as error:  # noqa: BLE001 - a bug of ours must cost one submission, not the run
        return f"{type(error).__name__}: {error}".splitlines()[0], False


def _start(root: Path, jail: bool) -> None:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    judging.start(root, jail)


def _grade(assignment: str, student: str) -> str:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    return judging.grade(assignment, student)
