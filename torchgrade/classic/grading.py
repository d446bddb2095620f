"""A class of a classic course: notebooks run in workers, marks entered here as they come.

students ──► changed since? ──► sanitize ──► workers, each with a jail ──► score ──► gradebook, autograded copies
                  │                                                          │
                  └────────── results/<s>/<a>.json: what checks gave ────────┘   where the assignment has exercises

The records are made beforehand, by the caller of :func:`grade`; the marks that they hold are not taken from the outputs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, Self

import nbformat
from nbgrader.api import MissingEntry
from pebble import ProcessExpired
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.classic.basis import Bases, Stamp, notebooks_of, stamp_copies
from torchgrade.classic.fork_server import start_fork_server
from torchgrade.classic.gradings import Basis, Gradings, is_ours
from torchgrade.compat.nbgrader import AutogradeInHalves
from torchgrade.course import Course, find_course
from torchgrade.gradebook.marks import HandCopy, marks_in
from torchgrade.gradebook.nbgrader_course import GradebookError, HandedOn, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.recording import handed_in_at
from torchgrade.gradebook.store import EARLIER_MARKS, OpenGradebook, all_entered, one_gradebook
from torchgrade.notebook.errors import one_line
from torchgrade.record import Record
from torchgrade.report.mark import Mark
from torchgrade.runs import Regrade
from torchgrade.runs.pool import new_pool, settle


@dataclasses.dataclass(frozen=True, slots=True)
class Marked:
    """The result for one student: marks, or one line about a problem."""

    student: str
    mark: Mark | None = None
    problem: str = ""
    """Why there are no marks."""
    remarks: tuple[str, ...] = ()
    """Lines about things that the instructor should look at."""
    unchanged: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that the instructor should know, a line each."""
        return (*filter(None, [self.problem]), *self.remarks)


def grade(
    course: Course, assignment: str, students: Sequence[str], *, workers: int, regrade: Regrade | None, stop: Callable[[], bool]
) -> Iterator[Marked]:
    """Grade what is new, changed or to be regraded, and enter the marks; yields each student once, when that student is done.

    In an assignment with exercises, the students' records must be made first. Once ``stop()`` is true, no further student is
    begun. Raises :class:`GradebookError` if the gradebook cannot be used, or if an exercise cannot be graded.
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
    """The notebooks of one class: run in workers, and scored as they come back."""

    def __init__(self, course: Course, assignment: str, converter: ClassicConverter, book: OpenGradebook, db_url: str) -> None:
        self._assignment, self._converter, self._book, self._db_url = assignment, converter, book, db_url
        self.bases, self._gradings = Bases(course, assignment, book), Gradings(course.results)
        self.copy = HandCopy(course, assignment, book)

    def do(self, todo: Sequence[str], pool: Workers, workers: int, stop: Callable[[], bool]) -> Iterator[Marked]:
        """Keep every worker busy, with another notebook waiting for each, and score what comes back."""
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
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns only this student
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
            return "running its notebook took too long"
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


# ---- nbgrader's autograding of one student, in two halves
#
# It is split at the point where the notebook is run, so that workers can run many at once.
#
# sanitize: submitted/ ──► autograded/, gradebook.db (who, when)         here
# run       autograded/ ──► cells with outputs                           elsewhere
# score     cells with outputs ──► autograded/, gradebook.db (marks)     here

_MOST_NAMED = 3


class ClassicConverter(AutogradeInHalves):
    """nbgrader's converter, one student at a time, in two halves."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._handed_on = HandedOn()

    def init_notebooks(self) -> None:
        """Do nothing: students are given to :meth:`sanitize`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def init_single_notebook_resources(self, notebook_filename: str) -> dict[str, Any]:
        """Nbgrader's resources for one notebook, with what is known of the student."""
        return self._handed_on.put_into(super().init_single_notebook_resources(notebook_filename))

    def sanitize(self, student: str, known: Collection[str]) -> list[Path]:
        """Make the copies of a student's notebooks that may be run, only of those with a known name.

        Whatever nbgrader's steps raise is passed on, and no copy is left; :class:`GradebookError` if there is no such notebook.
        """
        source, target = self.submitted(student), self.autograded(student)
        handed_in_at(self.coursedir, source)
        found = notebooks_of(source)
        if not any(path.stem in known for path in found):
            names = ", ".join(one_line(path.name) for path in found[:_MOST_NAMED]) or "no notebook"
            expected = " or ".join(f"{name}.ipynb" for name in sorted(known))
            raise GradebookError(f"expected {expected}, found {names}: a notebook may have been given another name")
        if target.exists():
            shutil.rmtree(target)
        self.notebooks = [str(path) for path in found]
        try:
            self._make_copies(student)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        return [target / Path(notebook).name for notebook in self.notebooks]

    def _make_copies(self, student: str) -> None:
        self.run_pre_convert_hook()
        self.init_assignment(self.coursedir.assignment_id, student)
        for notebook in self.notebooks:
            self.sanitize_notebook(Path(notebook))

    def score(self, student: str, executed: dict[str, Any], record: Record | None) -> list[str]:
        """Enter the marks that these notebooks, by name, and the record give; return the messages of nbgrader's steps."""
        self._handed_on = HandedOn(record, executed)
        for name in executed:
            self.autograde_notebook(self.autograded(student) / f"{name}.ipynb")
        self.set_permissions(self.coursedir.assignment_id, student)
        self.run_post_convert_hook()
        return self._handed_on.problems

    def submitted(self, student: str) -> Path:
        """Return what the student handed in."""
        return Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, self.coursedir.assignment_id))

    def autograded(self, student: str) -> Path:
        """Return its graded copy."""
        return Path(self.coursedir.format_path(self.coursedir.autograded_directory, student, self.coursedir.assignment_id))


# ---- processes that run notebooks
#
# Each keeps a jail from one notebook to the next, and ends with the run that made it.
#
# paths of notebooks ──► pebble's pool ──► ExecuteInJail in a worker ──► the same notebooks with outputs, as text

_SPARE_SECONDS = 120.0
_course: Course | None = None


class Workers:
    """A given number of workers. One that dies or hangs costs only the notebooks it had, and is replaced."""

    def __init__(self, course: Course, number: int) -> None:
        self._course = course
        # The workers' jails have their sockets here, so that those of a worker that was killed are removed, too.
        self._folder = tempfile.mkdtemp(prefix="tg-")
        start_fork_server()
        self._pool = new_pool(number, _start, (course.root, self._folder))

    def run(self, notebooks: list[Path]) -> Future[dict[str, str]]:
        """Run one student's notebooks, one after the other; the result is the text of each with its outputs, by name."""
        seconds = len(notebooks) * (self._course.limits.submission_seconds + _SPARE_SECONDS)
        future: Future[dict[str, str]] = self._pool.schedule(_run, args=(notebooks,), timeout=seconds)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Let the workers end by themselves if all is done; otherwise end them."""
        if kind is None:
            self._pool.close()
        else:
            self._pool.stop()
        self._pool.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def _start(root: Path, folder: str) -> None:
    global _course  # noqa: PLW0603 - one course per process
    tempfile.tempdir = folder
    settle()
    from torchgrade.kernels.jail import close_idle_jails  # noqa: PLC0415 - the run itself needs none

    Finalize(None, close_idle_jails, exitpriority=10)  # atexit is for processes that were not forked
    _course = find_course(root)


def _run(notebooks: list[Path]) -> dict[str, str]:
    from torchgrade.classic.execute import ExecuteInJail  # noqa: PLC0415 - slow, and the run itself runs nothing

    assert _course is not None  # noqa: S101 - _start ran first
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    executed = {}
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        step = ExecuteInJail(config=_course.config)
        notebook, _ = step.preprocess(notebook, {"metadata": {"path": str(path.parent)}})
        executed[path.stem] = nbformat.writes(notebook)
    return executed
