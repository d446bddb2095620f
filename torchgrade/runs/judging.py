"""What happens in each process of the pool: one judge, kept from one task to the next."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchgrade.course import find_course
from torchgrade.grading.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError, compose, load_assignment, write_notebook
from torchgrade.record import RecordError, Results

if TYPE_CHECKING:
    from torchgrade.runs.batches import Attempt

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


def do(function: str, arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """What a task's function returns, or our error in one line."""
    assert _judge is not None  # noqa: S101 - start ran first
    try:
        return _FUNCTIONS[function](_judge, *arguments), ""
    except (GraderError, SandboxError, NotebookError, RecordError) as error:
        return None, str(error)


def _grade_submission(judge: Judge, assignment: str, student: str, note: str) -> None:
    """Grade one submission and write its record."""
    record = judge.grade(assignment, student, judge.course.submission(student, assignment))
    if note:
        record = dataclasses.replace(record, problems=(*record.problems, note))
    Results(judge.course.results).write(record)


def _grade_attempt(judge: Judge, assignment: str, attempt: Attempt) -> dict[str, Any]:
    """The record, as plain data, of a notebook with this one solution; only its own exercise is looked at."""
    notebook = compose(load_assignment(judge.course.root, assignment), {attempt.exercise: attempt.text})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attempt.ipynb")
        write_notebook(notebook, path)
        record = judge.grade(
            assignment,
            "audit",
            path,
            seed=attempt.seed,
            exercise=attempt.exercise,
            checks=attempt.checks,
            to_first_failure=attempt.to_first_failure,
        )
    return record.to_json()


_FUNCTIONS: dict[str, Callable[..., Any]] = {"grade_submission": _grade_submission, "grade_attempt": _grade_attempt}
