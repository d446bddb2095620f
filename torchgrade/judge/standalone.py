"""The plugin behind ``pytest graders/<assignment> --submission FILE.ipynb``: the judge's own parts, around pytest's own run."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import torch

from torchgrade.checks.declared import GraderError
from torchgrade.course import CourseError, find_course
from torchgrade.errors import TorchgradeError
from torchgrade.jail import SandboxError
from torchgrade.judge.environment import use_device
from torchgrade.judge.judge import start_worker
from torchgrade.judge.plan import read_plan
from torchgrade.judge.submission_run import SubmissionRun
from torchgrade.notebook import NotebookError, assignment_of_course, read_notebook, take_program


class StandaloneError(TorchgradeError):
    """Why the graders cannot be run, in one line."""


class Standalone:
    """A warm worker and a session for the submission that the command line names."""

    def __init__(self, config: pytest.Config, seed: int) -> None:
        self._stack = contextlib.ExitStack()
        try:
            self._start(config, seed)
        except (CourseError, GraderError, NotebookError, SandboxError) as error:
            self._stack.close()
            raise StandaloneError(str(error)) from error

    def _start(self, config: pytest.Config, seed: int) -> None:
        folder = _grader_folder(config)
        course = find_course(folder)
        self.assignment = assignment_of_course(course, folder.name)
        self.path = Path(config.getoption("submission"))
        program = take_program(self.assignment, read_notebook(self.path))
        torch.set_num_threads(1)
        use_device(config.getoption("torchgrade_device"))
        worker = start_worker(course)
        self._stack.callback(worker.close)
        plan = read_plan(course, folder.name)
        self.run = self._stack.enter_context(SubmissionRun(worker, course, self.assignment, plan, program, seed=seed))
        self.plugin = self.run.plugin

    def header(self) -> list[str]:
        """Lines for pytest's header."""
        lines = [f"submission: {self.path} ({self.assignment.name}), --torchgrade-seed {self.run.seed}"]
        return lines + [f"  note: {problem}" for problem in self.run.problems]

    def summary(self) -> list[str]:
        """The points of each exercise, for what was run."""
        lines = []
        for exercise in self.assignment.exercises:
            checks = self.run.sheet.settled(exercise.name)
            asked = [check for check in checks if self.run.sheet.was_begun(exercise.name, check.name)]
            got, of = sum(check.points for check in asked), sum(check.max_points for check in asked)
            unasked = f" ({len(checks) - len(asked)} checks were not run)" if len(asked) < len(checks) else ""
            lines.append(f"{exercise.name}: {got:g} of {of:g} points{unasked}")
        return lines

    def close(self) -> None:
        """End the submission's processes and the warm worker."""
        self._stack.close()


def _grader_folder(config: pytest.Config) -> Path:
    """The one ``graders/<assignment>`` that pytest was pointed at."""
    folders = set()
    for argument in config.args:
        path = Path(str(argument).partition("::")[0]).resolve()
        folders.add(path if path.is_dir() else path.parent)
    if len(folders) != 1:
        raise CourseError("--submission takes the graders of one assignment: pytest graders/<assignment> --submission FILE.ipynb")
    return folders.pop()
