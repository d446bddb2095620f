"""The work in each process of the pool: one judge, kept from one task to the next."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Collection
from multiprocessing.util import Finalize
from typing import Protocol

import nbformat

from torchgrade.course import Course
from torchgrade.judge.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError, NotebookFile, assignment_of_course, compose
from torchgrade.record import Record, Status
from torchgrade.runs.tasks import Answer, GradeAttempt, GradeSubmission, LeaveOpen, SolutionAttempt, Task

_TRIES = 3
"""How often a submission is graded if its jail is lost each time."""
_LOST_SECONDS = 0.3
_LOST_GPU = 70
"""Exit status of a judge whose own work on the GPU failed."""
_judge: Judge | None = None


def start(course: Course, jail: bool) -> None:
    """In each new process: make the one judge that it keeps."""
    global _judge  # noqa: PLW0603 - one judge per process is the point
    _judge = Judge(course, jail=jail)
    Finalize(None, _judge.close, exitpriority=10)  # atexit is for processes that were not forked
    with contextlib.suppress(SandboxError):  # each submission that needs it will say so
        _judge.warm_up()


def do(task: Task) -> Answer:
    """The record that a task asks for, or an error of ours in one line."""
    assert _judge is not None  # noqa: S101 - start ran first
    try:
        answer = Answer(record_for(task, _judge))
    except (GraderError, SandboxError, NotebookError) as error:
        answer = Answer(error=str(error))
    if _judge.gpu_is_lost:
        os._exit(_LOST_GPU)  # nothing in this process can use the GPU again: the run gives the task to a new judge
    return answer


def record_for(task: Task, judge: Judge) -> Record:
    """The record that a task asks for. Raises what :meth:`Judge.grade` raises."""
    match task:
        case GradeSubmission():
            return _grade_submission(task, judge)
        case GradeAttempt(assignment, attempt):
            return _grade_attempt(judge, assignment, attempt)
        case LeaveOpen(submission, file):
            return judge.leave_open(*submission, file, "Grading was cut off each time; nothing is lost by it.")


def _grade_submission(task: GradeSubmission, judge: Judge) -> Record:
    if task.earlier is not None:
        record = task.earlier.completed_by(_undisturbed(judge, task, checks=task.earlier.deferred))
    else:
        record = _undisturbed(judge, task)
    if task.note:
        record = dataclasses.replace(record, problems=(*record.problems, task.note))
    return record


def _undisturbed(judge: Judge, task: GradeSubmission, checks: Collection[str] = ()) -> Record:
    """The record of a submission from a grading during which its jail was not lost.

    If a jail is killed from outside, checks fail that would have passed: they stay undecided, or their processes ended by
    SIGKILL. What was seen in that jail says nothing about the submission, so it is graded again, in a new one. The last try
    stands, so that no submission can occupy a judge for ever.
    """

    def grade() -> Record:
        return judge.grade(*task.submission, task.file, seed=task.seed, checks=checks, races=task.races)

    for _ in range(_TRIES - 1):
        worker = None
        with contextlib.suppress(SandboxError):  # raised again below, if the submission needs a jail at all
            worker = judge.worker
        cut_off_before = worker.cut_off if worker is not None else 0
        try:
            record = grade()
        except SandboxError:
            if worker is None or not _is_lost(worker):
                raise
        else:
            if worker is None:
                return record
            may_be_cut = record.status is Status.UNGRADED or worker.cut_off > cut_off_before
            if not (may_be_cut and _is_lost(worker)):
                return record
    return grade()


class _Jail(Protocol):
    """The part of a judge's warm worker that is used here."""

    @property
    def is_alive(self) -> bool: ...


def _is_lost(jail: _Jail) -> bool:
    """Return whether the jail has ended; its first process ends a moment after the others in it."""
    deadline = time.monotonic() + _LOST_SECONDS
    while jail.is_alive:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _grade_attempt(judge: Judge, assignment: str, attempt: SolutionAttempt) -> Record:
    source = assignment_of_course(judge.course, assignment)
    notebook = compose(source, {attempt.exercise: attempt.text})
    return judge.grade(
        assignment,
        "audit",
        NotebookFile("attempt.ipynb", nbformat.writes(notebook).encode()),
        seed=attempt.seed,
        exercise=attempt.exercise,
        checks=attempt.checks,
        to_first_failure=attempt.to_first_failure,
    )
