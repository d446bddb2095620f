"""One submission being graded: the same for a judge's record and for ``pytest graders/<assignment> --submission FILE.ipynb``.

    program ──► Session in the warm worker's jail ──► cells run ──► Asking, a pytest plugin ──► Scoresheet ──► exercises

The one who holds the run also runs pytest: the judge with options of its own, an instructor from the command line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container
from typing import Self

from torchgrade.checks.faults import StudentFault
from torchgrade.checks.raised import FILE, use_errors
from torchgrade.checks.settling import Scoresheet
from torchgrade.course import Course
from torchgrade.jail import Session, WarmWorker
from torchgrade.judge.asking import Asking
from torchgrade.judge.broken_cells import BrokenCells
from torchgrade.judge.environment import read_data
from torchgrade.judge.plan import Plan, read_probes
from torchgrade.judge.race import Racers
from torchgrade.notebook import Assignment, Program
from torchgrade.record import Exercise


class SubmissionRun:
    """A context manager: entering it runs the notebook's cells in a jail, leaving it ends all of the submission's processes.

    ``plugin`` is what pytest needs to ask the checks of ``plan``; ``seed`` decides every random input.
    """

    def __init__(
        self, worker: WarmWorker, course: Course, source: Assignment, plan: Plan, program: Program, *, seed: int
    ) -> None:
        self.source, self.plan, self.seed = source, plan, seed
        self.sheet = Scoresheet(plan.checks)
        self._worker, self._course, self._program = worker, course, program
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        use_errors(self._course.graders / FILE)
        with self._stack:
            self._session = self._stack.enter_context(
                Session(
                    self._worker,
                    self._program.to_wire(),
                    probes=read_probes(self._course, self.source.name),
                    seconds=self._course.limits.submission_seconds,
                    data=read_data(self._course, self.source.name),
                )
            )
            with contextlib.suppress(StudentFault):  # each check will say what happened
                self._session.load()
            racers = self._stack.enter_context(Racers(self._worker, self._course, self.source))
            returns = {name: kind for exercise in self.source.exercises for name, kind in exercise.returns.items()}
            makes = {name: kind for exercise in self.source.exercises for name, kind in exercise.makes.items()}
            self.plugin = Asking(
                self.sheet, self._session, self.seed, returns, makes, racers, lambda *asked: self._broken().reason(*asked)
            )
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def problems(self) -> list[str]:
        """Lines for the student and the instructor about the notebook as a whole: cells that were put back, cells that raised."""
        return [*self._program.notes, *self._broken().problems()]

    def _broken(self) -> BrokenCells:
        return BrokenCells(self._program, self._session.cell_errors)

    def exercises(self, chosen: Container[tuple[str, str]] | None = None) -> list[Exercise]:
        """The exercises with their settled checks; with ``chosen`` (pairs of exercise and check), only those checks."""
        if chosen is None:
            return [Exercise(e.name, e.points, tuple(self.sheet.settled(e.name))) for e in self.source.exercises]
        found = []
        for exercise in self.source.exercises:
            checks = tuple(check for check in self.sheet.settled(exercise.name) if (exercise.name, check.name) in chosen)
            if checks:
                found.append(Exercise(exercise.name, sum(check.max_points for check in checks), checks))
        return found
