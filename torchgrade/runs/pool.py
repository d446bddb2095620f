"""A pool of judges, one process each. A judge that dies or hangs costs one submission another try, and nobody else anything.

The processes are pebble's; each keeps one judge, which keeps one warm worker. A record is on disk before the pool hears of it, so
that an end at any moment loses only what was in flight.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import dataclasses
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from pebble import ProcessExpired, ProcessPool

from torchgrade.course import find_course
from torchgrade.course.folder import Course
from torchgrade.grading.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError
from torchgrade.record import RecordError, Results

TRIES = 3
_SPARE_SECONDS = 120.0
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, include/uapi/linux/prctl.h

_judge: Judge | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What became of one submission: graded, or why not (our fault, in one line)."""

    student: str
    error: str = ""


def grade_all(
    course: Course,
    assignment: str,
    students: Iterable[str],
    *,
    workers: int = 1,
    jail: bool = True,
    on_done: Callable[[Done], None] = lambda _: None,
) -> list[Done]:
    """Grade these students' submissions and write their records; tell ``on_done`` about each as it ends.

    What is wrong with a submission is in its record. A :class:`Done` with an error is one that we could not grade.
    """
    waiting = list(students)
    if not waiting:
        return []
    limit = course.limits.submission_seconds + course.limits.cells_seconds * 5 + _SPARE_SECONDS
    done: list[Done] = []
    tries = dict.fromkeys(waiting, 0)
    pool = ProcessPool(
        max_workers=min(workers, len(waiting)),
        context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(course.root, jail, os.getpid()),
    )
    running: dict[Future[str], str] = {}

    def schedule(student: str) -> None:
        tries[student] += 1
        running[pool.schedule(_grade, args=(assignment, student), timeout=limit)] = student

    try:
        for student in waiting:
            schedule(student)
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                student = running.pop(future)
                error, again = _outcome(future)
                if again and tries[student] < TRIES:
                    schedule(student)
                    continue
                done.append(Done(student, error))
                on_done(done[-1])
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()
    return done


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


def _start(root: Path, jail: bool, parent: int) -> None:
    """In each new process: end with the run, keep one judge."""
    global _judge  # noqa: PLW0603 - one judge a process is the point
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's to handle
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it ended before we could ask to be told
    _judge = Judge(find_course(root), jail=jail)
    atexit.register(_judge.close)
    with contextlib.suppress(SandboxError):  # each submission that needs it will say so
        _judge.warm_up()


def _grade(assignment: str, student: str) -> str:
    """Grade one submission and write its record; the error, if it is ours, in one line."""
    assert _judge is not None  # noqa: S101 - _start ran first
    try:
        record = _judge.grade(assignment, student, _judge.course.submission(student, assignment))
        Results(_judge.course.results).write(record)
    except (GraderError, SandboxError, NotebookError, RecordError) as error:
        return str(error)
    return ""
