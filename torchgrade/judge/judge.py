"""Grades submissions, one after another: a notebook goes in, a record comes out.

    bytes of the file ──► notebook: program ──► Session in the warm worker's jail ──► pytest with Asking ──► Record

A judge keeps its warm worker and the imported graders from one submission to the next, and nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import io
import os
import secrets
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Self

import pytest
import torch

from torchgrade.checks.bounds import few_lines
from torchgrade.checks.declared import GraderError, PlannedCheck
from torchgrade.checks.settling import Attempt, settle
from torchgrade.course import Course, Limits
from torchgrade.jail import Bounds, SandboxError, View, WarmWorker, choose_wall
from torchgrade.jail.resources.cuda import context_is_lost
from torchgrade.jail.resources.gpu import choose_gpu
from torchgrade.judge import environment
from torchgrade.judge.environment import describe_environment, digests
from torchgrade.judge.plan import Plan, exercise_of, grader_files, read_plan
from torchgrade.judge.submission_run import SubmissionRun
from torchgrade.notebook import Assignment, NotebookError, NotebookFile, assignment_of_course, parse_notebook, take_program
from torchgrade.record import Check, Exercise, Outcome, Record

# Nothing is written to a cache; and the two plugins that watch for stray exceptions would collect all garbage five times over at
# the end of each run, which takes a third of a second for each submission.
_NOT_NEEDED = (
    "cacheprovider",
    "logging",
    "unraisableexception",
    "threadexception",
    "junitxml",
    "pastebin",
    "stepwise",
    "faulthandler",
)
SETTINGS = Path(__file__).with_name("grading.ini")


class Judge:
    """Grades the submissions of one course. Use it as a context manager: leaving it ends the warm worker.

    ``jail=False`` lets submissions run as you, with everything that you may do; every record then says so.
    """

    def __init__(self, course: Course, *, jail: bool = True) -> None:
        self.course, self.jail = course, jail
        self._worker: WarmWorker | None = None
        torch.set_num_threads(1)

    def warm_up(self) -> None:
        """Start the warm worker now, beside whatever this process does next; otherwise the first submission starts it."""
        _ = self.worker

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the warm worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    @property
    def gpu_is_lost(self) -> bool:
        """True if an error in the judge's own work on the GPU has left this process unable to use it."""
        return context_is_lost()

    @property
    def worker(self) -> WarmWorker:
        """The warm worker, started at the first submission and again if one ended it; :class:`SandboxError` without a jail."""
        if self._worker is not None and not self._worker.is_alive:
            self.close()
        if self._worker is None:
            self._worker = start_worker(self.course, jail=self.jail)
        return self._worker

    def grade(
        self,
        assignment: str,
        student: str,
        file: Path | NotebookFile,
        *,
        seed: int | None = None,
        exercise: str | None = None,
        checks: Collection[str] = (),
        races: bool | None = None,
        to_first_failure: bool = False,
    ) -> Record:
        """The record of the notebook ``file``, which may have been read already; ``seed`` repeats an earlier run.

        With ``exercise``, only the checks of that exercise are run and are in the record; with ``checks``, only those and what
        they need. If ``races`` is false, checks that race are not run and stand as not reached; if it is true, so do all checks
        that neither race nor are needed by one that does. ``to_first_failure``: no check is run after one that failed.

        Raises :class:`GraderError`, ``NotebookError`` (for the course's own notebook) and :class:`SandboxError`: all that is our
        fault. Whatever is wrong with the submission is in the record.
        """
        started = time.perf_counter()
        source = self._source(assignment)
        plan = read_plan(self.course, assignment)
        seed = secrets.randbits(63) if seed is None else seed
        if isinstance(file, Path):
            file = NotebookFile.read(file, self.course.limits.notebook_bytes, below=self.course.submitted)
        try:
            if file.refusal:
                raise NotebookError(file.refusal)  # noqa: TRY301 - treated like one that cannot be parsed
            program = take_program(source, parse_notebook(file.data, file.name))
        except NotebookError as error:
            exercises = _all_alike(source, plan, Attempt.not_run(Outcome.FAILED, "There was no notebook to grade."))
            return self._record(source, student, file.data, seed, exercises, (str(error),), started, readable=False)
        chosen = plan.chosen(exercise, checks, races=races)
        with SubmissionRun(self.worker, self.course, source, plan, program, seed=seed) as run:
            errors = self._ask(run, assignment, chosen, to_first_failure=to_first_failure)
            problems = [*run.problems, *(_from_cell(error) for error in errors)]
        asked = plan.chosen(exercise, checks)  # those that are not to be run here are in the record as not reached
        exercises = run.exercises({(check.exercise, check.name) for check in asked} if exercise or checks else None)
        if errors:
            exercises = _all_open(exercises, errors[0])
        record = self._record(source, student, file.data, seed, exercises, tuple(problems), started)
        return dataclasses.replace(record, partial=bool(exercise or checks))

    def _source(self, assignment: str) -> Assignment:
        return assignment_of_course(self.course, assignment)

    def leave_open(self, assignment: str, student: str, file: NotebookFile, problem: str) -> Record:
        """The record of a submission that could not be graded, through no fault of its own: all its checks are open."""
        source = self._source(assignment)
        exercises = _all_alike(source, read_plan(self.course, assignment), Attempt.not_reached(Outcome.UNGRADED))
        return self._record(source, student, file.data, 0, exercises, (problem,), time.perf_counter())

    def _ask(self, run: SubmissionRun, assignment: str, chosen: Collection[PlannedCheck], *, to_first_failure: bool) -> list[str]:
        """Run pytest over the graders; return what went wrong with the graders themselves, one line each."""
        files = grader_files(self.course, assignment)
        items = [f"{path}::{check.name}" for path in files for check in chosen if exercise_of(path) == check.home]
        if not items:
            return []
        root = str(self.course.root)
        # Without confcutdir, pytest would look through every folder from the root of the disk down to the graders.
        options = ["--exitfirst"] * to_first_failure
        options += ["-c", str(SETTINGS), "--rootdir", root, "--confcutdir", root, "--assert=plain"]
        # Nobody reads pytest's account of a failure; for its long form, pytest parses the grader's source again at each failure.
        options += ["--tb=native"]
        for plugin in _NOT_NEEDED:
            options += ["-p", f"no:{plugin}"]
        printed, errors = io.StringIO(), run.plugin.errors
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), _no_other_plugins():
            status = pytest.main([*options, "-q", "--no-header", "--no-summary", *items], plugins=[run.plugin])
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not errors:
            name = status.name if isinstance(status, pytest.ExitCode) else str(status)
            errors.append(f"pytest ended with {name}:\n{printed.getvalue()[-2000:].strip() or 'and said nothing'}")
        return errors

    def _record(
        self,
        source: Assignment,
        student: str,
        data: bytes,
        seed: int,
        exercises: list[Exercise],
        problems: tuple[str, ...],
        started: float,
        *,
        readable: bool = True,
    ) -> Record:
        return Record(
            assignment=source.name,
            student=student,
            exercises=tuple(exercises),
            digests=digests(self.course, source.name, data, jail=self.jail),
            seed=seed,
            environment=describe_environment(jail=self.jail, group=self._worker is not None and self._worker.group is not None),
            problems=few_lines(problems),
            readable=readable,
            graded_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            seconds=round(time.perf_counter() - started, 4),
        )


def start_worker(course: Course, *, jail: bool = True) -> WarmWorker:
    """A warm worker with the course's limits, and with this process's GPU, if it has one that torch can use.

    Nothing of CUDA is set up in this process before that: this is where it is decided which GPU is its own.
    """
    gpu = choose_gpu()
    usable = gpu if gpu is not None and environment.has_gpu() else None
    return WarmWorker(bounds_of(course.limits), wall=choose_wall(jail=jail), view=View(hide=tuple(course.hidden), gpu=usable))


def bounds_of(limits: Limits) -> Bounds:
    """The course's limits in seconds and bytes."""
    return Bounds(
        call_seconds=limits.call_seconds,
        cells_seconds=limits.cells_seconds,
        memory=limits.memory_mb << 20,
        scratch=limits.scratch_mb << 20,
        processes=limits.processes,
        open_files=limits.open_files,
        output=limits.output_kb << 10,
        answer=limits.answer_mb << 20,
        cpu_seconds=4 * limits.submission_seconds,
        gpu_memory=limits.gpu_memory_mb << 20,
    )


def _from_cell(error: str) -> str:
    return f"The graders could not be run; you lose no points because of it. {error.strip().rpartition(chr(10))[2]}"


def _all_alike(source: Assignment, plan: Plan, attempt: Attempt) -> list[Exercise]:
    """The exercises, with ``attempt`` as the end of every check: the student's code was not called."""
    return [Exercise(e.name, e.points, tuple(settle(check, [attempt]) for check in plan.of(e.name))) for e in source.exercises]


def _all_open(exercises: list[Exercise], error: str) -> list[Exercise]:
    """The exercises after a grader could not be collected: checks that were not reached are open, not failed."""

    def opened(check: Check) -> Check:
        return check if check.reached else dataclasses.replace(check, outcome=Outcome.UNGRADED, detail=error, hint="")

    return [dataclasses.replace(e, checks=tuple(map(opened, e.checks))) for e in exercises]


@contextlib.contextmanager
def _no_other_plugins() -> Iterator[None]:
    """Keep pytest from loading plugins that the instructor has installed."""
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before


__all__ = ["GraderError", "Judge", "SandboxError", "bounds_of", "start_worker"]
