"""Judges on this machine, one process each. If a judge dies or hangs, its task is tried again; no other task is affected.

    this process ──► fork server: imports torch and the engine, once ──► judges, each with its warm worker

The processes are pebble's. This process does not import torch, so it can enter marks while the judges get ready and grade.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from pathlib import Path

from pebble import ProcessExpired, ProcessPool

from torchgrade.compat.forkserver import start_fork_server
from torchgrade.compat.pebble import steady_clock
from torchgrade.course import Course, Limits, find_course
from torchgrade.runs.tasks import TRIES, Answer, Event, Key, Task, do_tasks

_SPARE_SECONDS = 120.0


def in_judges(course: Course, tasks: Iterable[tuple[Key, Task]], *, workers: int = 1, jail: bool = True) -> Generator[Event[Key]]:
    """Do these tasks here, ``workers`` at a time; see :func:`do_tasks`."""
    # The fork server does its imports while the caller is still busy with other things.
    start_fork_server(["torchgrade.runs.server"])
    return do_tasks(_Judges(course, workers, jail), iter(tasks))


def longest_seconds(limits: Limits) -> float:
    """How many seconds a task may take; if it takes longer, its judge hangs."""
    return limits.submission_seconds + limits.cells_seconds * 5 + _SPARE_SECONDS


class _Judges:
    """Pebble's pool, made anew if all its judges are lost at once."""

    def __init__(self, course: Course, workers: int, jail: bool) -> None:
        self._course, self._workers, self._jail = course, workers, jail
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPool:
        return new_pool(self._workers, _start, (self._course.root, self._jail))

    def places(self) -> int:
        """One more than there are judges, so that no judge has to wait for us."""
        return self._workers + 1

    def schedule(self, task: Task) -> Future[Answer]:
        seconds = longest_seconds(self._course.limits)
        try:
            return self._pool.schedule(_do, args=(task,), timeout=seconds)
        except RuntimeError:  # the pool broke
            self.stop()
            self._pool = self._new_pool()
            return self._pool.schedule(_do, args=(task,), timeout=seconds)

    def explain(self, error: Exception) -> tuple[str, int]:
        if isinstance(error, TimeoutError):
            return "the judge did not finish; run the same command again", 1
        if isinstance(error, ProcessExpired):
            return f"the judge ended unexpectedly (exit status {error.exitcode}); run the same command again", TRIES
        if isinstance(error, BrokenProcessPool):
            return "all judges ended unexpectedly; run the same command again", TRIES
        return f"{type(error).__name__}: {error}".splitlines()[0], 0

    def close(self) -> None:
        self._pool.close()
        self._pool.join()

    def stop(self) -> None:
        self._pool.stop()
        self._pool.join()


def _start(root: Path, jail: bool) -> None:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    settle()
    judging.start(find_course(root), jail)


def _do(task: Task) -> Answer:
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    return judging.do(task)


# ---- pools of processes
#
# They are forked from a process that has imported what they need, and end with the run that made them, however it ends.


def new_pool(workers: int, start: Callable[..., None], arguments: tuple[object, ...]) -> ProcessPool:
    """Pebble's pool of ``workers`` processes; each begins with ``start(*arguments)``, which must call :func:`settle`."""
    steady_clock()
    return ProcessPool(
        max_workers=workers,
        context=multiprocessing.get_context("forkserver"),
        initializer=start,
        initargs=arguments,
    )


def settle() -> None:
    """In a new process of a pool: leave Ctrl-C to the run, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_run, daemon=True).start()


def _end_with_the_run() -> None:
    """End this process once the one that asked for it is gone, perhaps killed; a jail ends with the process that has it."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this is a process of a pool
    connection.wait([parent.sentinel])
    os._exit(1)
