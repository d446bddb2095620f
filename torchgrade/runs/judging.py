"""What happens in each process of the pool: one judge, kept from one submission to the next."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from pathlib import Path

from torchgrade.course import find_course
from torchgrade.grading.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError
from torchgrade.record import RecordError, Results

_judge: Judge | None = None


def start(root: Path, jail: bool) -> None:
    """In each new process: end with the run, keep one judge."""
    global _judge  # noqa: PLW0603 - one judge a process is the point
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's to handle
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    _judge = Judge(find_course(root), jail=jail)
    Finalize(None, _judge.close, exitpriority=10)  # atexit is for processes that were not forked
    with contextlib.suppress(SandboxError):  # each submission that needs it will say so
        _judge.warm_up()


def _end_with_the_run() -> None:
    """End this process once the one that asked for it is gone, killed perhaps; the jail ends with its judge."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this is a process of a pool
    wait([parent.sentinel])
    os._exit(1)


def grade(assignment: str, student: str) -> str:
    """Grade one submission and write its record; the error, if it is ours, in one line."""
    assert _judge is not None  # noqa: S101 - start ran first
    try:
        record = _judge.grade(assignment, student, _judge.course.submission(student, assignment))
        Results(_judge.course.results).write(record)
    except (GraderError, SandboxError, NotebookError, RecordError) as error:
        return str(error)
    return ""
