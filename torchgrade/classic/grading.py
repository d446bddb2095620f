"""A class of a classic course: notebooks run in workers, marks entered here as they come.

students ──► changed since? ──► sanitize ──► workers, each with a jail ──► score ──► gradebook, autograded copies
                  │                                                          │
                  └────────── results/<s>/<a>.json: what checks gave ────────┘   where the assignment has exercises

The records are made before, by whoever calls :func:`grade`; they are marks that the outputs are not asked for.
"""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

import nbformat
from nbgrader.api import MissingEntry
from pebble import ProcessExpired
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.classic.basis import Bases
from torchgrade.classic.converter import ClassicConverter
from torchgrade.classic.gradings import Basis, Gradings, is_ours
from torchgrade.classic.stamps import Stamp, stamp_copies
from torchgrade.classic.workers import Workers
from torchgrade.course import Course
from torchgrade.gradebook.entered import EARLIER_MARKS, all_entered
from torchgrade.gradebook.errors import GradebookError, explain
from torchgrade.gradebook.hand_copy import HandCopy
from torchgrade.gradebook.marks import marks_in
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log
from torchgrade.gradebook.store import OpenGradebook, one_gradebook
from torchgrade.report.mark import Mark
from torchgrade.runs import Regrade


@dataclasses.dataclass(frozen=True, slots=True)
class Marked:
    """The result for one student: marks, or a problem in one line."""

    student: str
    mark: Mark | None = None
    problem: str = ""
    """Why there are no marks."""
    remarks: tuple[str, ...] = ()
    """Lines about what the instructor should look at."""
    unchanged: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """All that the instructor should know, a line each."""
        return (*filter(None, [self.problem]), *self.remarks)


def grade(
    course: Course, assignment: str, students: Sequence[str], *, workers: int, regrade: Regrade | None, stop: Callable[[], bool]
) -> Iterator[Marked]:
    """Grade what is new, changed or to be regraded, and enter the marks; yields each student once, as they are done.

    An assignment with exercises needs the students' records first. Once ``stop()`` is true no further student is begun. Raises
    :class:`GradebookError` where the gradebook cannot be used, or where an exercise cannot be graded.
    """
    config, (log, _) = config_of(course), quiet_log()
    coursedir = course_directory(config, log, assignment)
    with contextlib.ExitStack() as stack:
        try:
            book = stack.enter_context(one_gradebook(coursedir.db_url, coursedir.course_id))
            converter = ClassicConverter(coursedir=coursedir, config=config, log=log)
            converter.start()
            run = _NotebookRuns(course, assignment, converter, book, coursedir.db_url)
            _require_generated(run.bases, assignment)
            todo = []
            for student in students:
                again = regrade is not None and not regrade.has_grading(student)
                if again or not run.bases.is_current(student):
                    todo.append(student)
                else:
                    yield run.marked(student, unchanged=True)
            if todo:
                pool = stack.enter_context(Workers(course, min(workers, len(todo))))
                yield from run.do(todo, pool, workers, stop)
            run.copy.save()
        except (SQLAlchemyError, MissingEntry) as error:
            raise GradebookError(explain(error, coursedir.db_url)) from error


class _NotebookRuns:
    """The notebooks of one class, run in workers, and scored as they come back."""

    def __init__(self, course: Course, assignment: str, converter: ClassicConverter, book: OpenGradebook, db_url: str) -> None:
        self._assignment, self._converter, self._book, self._db_url = assignment, converter, book, db_url
        self.bases, self._gradings = Bases(course, assignment, book), Gradings(course.results)
        self.copy = HandCopy(course, assignment, book)

    def do(self, todo: Sequence[str], pool: Workers, workers: int, stop: Callable[[], bool]) -> Iterator[Marked]:
        """Keep every worker busy, with one notebook waiting for each, and score what comes back."""
        waiting = iter(todo)
        running: dict[Future[dict[str, str]], tuple[str, Basis]] = {}
        more = True
        try:
            while running or more:
                while more and len(running) < 2 * workers:
                    student = None if stop() else next(waiting, None)
                    if student is None:
                        more = False
                        break
                    basis = self.bases.of(student)
                    begun = self._begin(student, basis, pool)
                    if isinstance(begun, Marked):
                        yield begun
                    else:
                        running[begun] = student, basis
                done, _ = wait(running, return_when=FIRST_COMPLETED) if running else (set(), None)
                for future in done:
                    marked = self._score(*running[future], future)
                    del running[future]
                    yield marked
        finally:
            for student, _ in running.values():
                self._discard(student)

    def _begin(self, student: str, basis: Basis, pool: Workers) -> Future[dict[str, str]] | Marked:
        notebooks: list[Path] = []
        try:
            self.bases.require_record(student)
            with self._book.whole():
                notebooks = self._converter.sanitize(student, self.bases.notebooks)
            return pool.run(notebooks)
        except SQLAlchemyError:
            if notebooks:
                self._discard(student)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this student's alone
            return self._failed(student, basis, error)

    def _score(self, student: str, basis: Basis, future: Future[dict[str, str]]) -> Marked:
        try:
            executed = {name: nbformat.reads(text, as_version=4) for name, text in future.result().items()}
            for notebook in executed.values():
                notebook.metadata.pop("torchgrade", None)
            with self._book.whole():
                remarks = list(self._converter.score(student, executed, self.bases.record(student)))
                self.copy.restore(student)
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            return self._failed(student, basis, error)
        if student in self.copy.restored:
            remarks.append(f"the gradebook knew nothing of it: points and comments by hand were put back from {self.copy.path}")
        marked = dataclasses.replace(self.marked(student), remarks=tuple(remarks))
        entered = all_entered(self._book, self._assignment, student)[student]
        stamp_copies(self._converter.autograded(student), Stamp(basis.stamp, entered.digest))
        if marked.mark is not None:
            self._gradings.add(student, self._assignment, basis, marked.mark.points, marked.mark.max_points)
        return marked

    def _failed(self, student: str, basis: Basis, error: Exception) -> Marked:
        self._discard(student)
        problem = f"not graded: {self._said(error)}"
        self._gradings.add(student, self._assignment, basis, 0.0, 0.0, problem, ours=is_ours(error))
        return Marked(student, problem=f"{problem}; {EARLIER_MARKS}" if self.bases.has_earlier_marks(student) else problem)

    def _said(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return "its notebook took too long to be run"
        if isinstance(error, ProcessExpired):
            return f"the process that ran its notebook ended unexpectedly (exit status {error.exitcode}); run this again"
        return explain(error, self._db_url)

    def _discard(self, student: str) -> None:
        # As nbgrader does: a copy without marks would be taken for a graded one.
        shutil.rmtree(self._converter.autograded(student), ignore_errors=True)

    def marked(self, student: str, *, unchanged: bool = False) -> Marked:
        """The student's mark, as the gradebook has it."""
        marks = marks_in(self._book, self._assignment, {student: self.bases.record(student)})
        return Marked(student, marks[student], unchanged=unchanged)


def _require_generated(bases: Bases, assignment: str) -> None:
    if not bases.notebooks:
        raise GradebookError(
            f"the gradebook does not know the assignment {assignment!r}: run nbgrader generate_assignment {assignment} first"
        )
