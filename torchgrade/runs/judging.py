"""What happens in each process of the pool: one judge, kept from one task to the next."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from torchgrade.course import find_course
from torchgrade.grading.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError, compose, load_assignment, write_notebook
from torchgrade.record import Record, RecordError, Results, Status

if TYPE_CHECKING:
    from torchgrade.runs.batches import Attempt

_TRIES = 3
"""How often a submission is graded whose jail is lost."""
_LOST_SECONDS = 0.3
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
    record = _undisturbed(judge, assignment, student)
    if note:
        record = dataclasses.replace(record, problems=(*record.problems, note))
    Results(judge.course.results).write(record)


def _undisturbed(judge: Judge, assignment: str, student: str) -> Record:
    """The record of a submission whose jail lived to its end.

    A jail that is killed from outside takes with it checks that would have passed. What was seen in it says nothing about the
    submission: it is graded again, in a new one. The last try stands, so that nothing can keep a judge for ever.
    """
    path = judge.course.submission(student, assignment)
    for _ in range(_TRIES - 1):
        worker = None
        with contextlib.suppress(SandboxError):  # said again below, if the submission needs a jail at all
            worker = judge.worker
        try:
            record = judge.grade(assignment, student, path)
        except SandboxError:
            if worker is None or not _is_lost(worker):
                raise
        else:
            if worker is None or not (_may_be_cut(record) and _is_lost(worker)):
                return record
    return judge.grade(assignment, student, path)


class _Jail(Protocol):
    """What is looked at of a judge's warm worker."""

    @property
    def is_alive(self) -> bool: ...


def _may_be_cut(record: Record) -> bool:
    """Whether a check of the record ended as it would in a jail that was lost: undecided, or with a killed process."""
    told = [*record.problems, *(check.message for exercise in record.exercises for check in exercise.checks)]
    return record.status is Status.UNGRADED or any("SIGKILL" in line or "process is gone" in line for line in told)


def _is_lost(jail: _Jail) -> bool:
    """Whether the jail has ended; its first process does so a moment after those in it."""
    deadline = time.monotonic() + _LOST_SECONDS
    while jail.is_alive:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


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
