"""What happens in each process of the pool: one judge, kept from one task to the next."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any

import nbformat

from torchgrade.course import Course, Submission
from torchgrade.grading.judge import GraderError, Judge, SandboxError
from torchgrade.notebook import NotebookError, NotebookFile, compose, load_assignment
from torchgrade.runs.tasks import Answer, Task

if TYPE_CHECKING:
    from torchgrade.runs.batches import Attempt

_judge: Judge | None = None


def start(course: Course, jail: bool) -> None:
    """In each new process: keep one judge."""
    global _judge  # noqa: PLW0603 - one judge a process is the point
    _judge = Judge(course, jail=jail)
    Finalize(None, _judge.close, exitpriority=10)  # atexit is for processes that were not forked
    with contextlib.suppress(SandboxError):  # each submission that needs it will say so
        _judge.warm_up()


def do(task: Task) -> Answer:
    """What the task's function returns, or our error in one line."""
    assert _judge is not None  # noqa: S101 - start ran first
    try:
        return Answer(_FUNCTIONS[task.function](_judge, *task.arguments, **task.options))
    except (GraderError, SandboxError, NotebookError) as error:
        return Answer(error=str(error))


def _grade_submission(judge: Judge, submission: Submission, file: NotebookFile, note: str, **options: Any) -> dict[str, Any]:
    """The record of a submission, as plain data; ``options`` are those of :meth:`Judge.grade`."""
    record = judge.grade(submission.assignment, submission.student, file, **options)
    if note:
        record = dataclasses.replace(record, problems=(*record.problems, note))
    return record.to_json()


def _grade_attempt(judge: Judge, assignment: str, attempt: Attempt) -> dict[str, Any]:
    """The record, as plain data, of a notebook with this one solution; only its own exercise is looked at."""
    notebook = compose(load_assignment(judge.course.root, assignment), {attempt.exercise: attempt.text})
    record = judge.grade(
        assignment,
        "audit",
        NotebookFile("attempt.ipynb", nbformat.writes(notebook).encode()),
        seed=attempt.seed,
        exercise=attempt.exercise,
        checks=attempt.checks,
        to_first_failure=attempt.to_first_failure,
    )
    return record.to_json()


_FUNCTIONS: dict[str, Callable[..., Any]] = {"grade_submission": _grade_submission, "grade_attempt": _grade_attempt}
