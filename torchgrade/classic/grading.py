"""A class of a classic course: notebooks run in workers, marks entered here as they come.

students ──► changed since? ──► sanitize ──► workers, each with a jail ──► score ──► gradebook, autograded copies
                                 └── told of every student: whoever shows the progress
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

import nbformat
from nbgrader.api import MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.classic.converter import STAMP, ClassicConverter
from torchgrade.classic.workers import Workers
from torchgrade.course import Course
from torchgrade.gradebook.running import GradebookError, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.store import OpenGradebook, one_gradebook
from torchgrade.record import digest

_DECIDING = (
    "Execute",
    "ExecuteInJail",
    "IgnorePattern",
    "JailProvisioner",
    "LimitOutput",
    "Limits",
    "OverwriteCells",
    "SaveAutoGrades",
    "SaveScores",
)
"""Sections of the configuration on which marks may rest."""


@dataclasses.dataclass(frozen=True, slots=True)
class Marked:
    """What became of one student: marks, or a problem in one line."""

    student: str
    points: float = 0.0
    max_points: float = 0.0
    needs_manual_grade: bool = False
    problem: str = ""
    """Why there are no marks."""
    remarks: tuple[str, ...] = ()
    """What the instructor should look at."""
    unchanged: bool = False


def grade(
    course: Course, assignment: str, students: Sequence[str], *, workers: int, regrade: bool, stop: Callable[[], bool]
) -> Iterator[Marked]:
    """Grade what is new or changed, and enter the marks; yields each student once, as they are done.

    Once ``stop()`` is true no further student is begun. Raises :class:`GradebookError` where the gradebook cannot be used.
    """
    config, (log, _) = config_of(course), quiet_log()
    coursedir = course_directory(config, log, assignment)
    with contextlib.ExitStack() as stack:
        try:
            book = stack.enter_context(one_gradebook(coursedir.db_url, coursedir.course_id))
            _require_generated(book, assignment)
            converter = ClassicConverter(coursedir=coursedir, config=config, log=log)
            converter.start()
            run = _Run(course, assignment, converter, book, coursedir.db_url)
            todo = []
            for student in students:
                if regrade or not run.is_current(student):
                    todo.append(student)
                else:
                    yield run.marked(student, unchanged=True)
            if todo:
                pool = stack.enter_context(Workers(course, min(workers, len(todo))))
                yield from run.do(todo, pool, workers, stop)
        except SQLAlchemyError as error:
            raise GradebookError(explain(error, coursedir.db_url)) from error


class _Run:
    def __init__(self, course: Course, assignment: str, converter: ClassicConverter, book: OpenGradebook, db_url: str) -> None:
        self._course, self._assignment, self._converter, self._book = course, assignment, converter, book
        self._db_url = db_url
        deciding = {name: course.config[name] for name in _DECIDING if name in course.config}
        self._settings = json.dumps(deciding, sort_keys=True, default=repr)
        self._source = _contents(course.assignments / assignment)

    def do(self, todo: Sequence[str], pool: Workers, workers: int, stop: Callable[[], bool]) -> Iterator[Marked]:
        """Keep every worker busy, with one notebook waiting for each, and score what comes back."""
        waiting = iter(todo)
        running: dict[Future[dict[str, str]], str] = {}
        more = True
        while running or more:
            while more and len(running) < 2 * workers:
                student = None if stop() else next(waiting, None)
                if student is None:
                    more = False
                    break
                try:
                    with self._book.whole():
                        notebooks = self._converter.sanitize(student)
                except SQLAlchemyError:
                    raise
                except Exception as error:  # noqa: BLE001 - whatever it is, it is this student's alone
                    yield self._failed(student, error)
                else:
                    running[pool.run(notebooks)] = student
            done, _ = wait(running, return_when=FIRST_COMPLETED) if running else (set(), None)
            for future in done:
                yield self._score(running.pop(future), future)

    def _score(self, student: str, future: Future[dict[str, str]]) -> Marked:
        try:
            executed = {name: nbformat.reads(text, as_version=4) for name, text in future.result().items()}
            stamp = self._stamp(student)
            for notebook in executed.values():
                notebook.metadata["torchgrade"] = {STAMP: stamp}
            with self._book.whole():
                self._converter.score(student, executed)
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            return self._failed(student, error)
        return dataclasses.replace(self.marked(student), remarks=tuple(self._converter.problems))

    def _failed(self, student: str, error: Exception) -> Marked:
        # As nbgrader does: a copy without marks would be taken for a graded one.
        shutil.rmtree(self._converter.autograded(student), ignore_errors=True)
        said = "its notebook took too long to be run" if isinstance(error, TimeoutError) else explain(error, self._db_url)
        return Marked(student, problem=f"not graded: {said}")

    def marked(self, student: str, *, unchanged: bool = False) -> Marked:
        """The student's marks, as the gradebook has them."""
        try:
            found = self._book.find_submission(self._assignment, student)
            return Marked(student, found.score, found.max_score, found.needs_manual_grade, unchanged=unchanged)
        finally:
            self._book.db.remove()

    def is_current(self, student: str) -> bool:
        """Whether the graded copy was made from what is there now."""
        copies = sorted(self._converter.autograded(student).glob("*.ipynb"))
        names = [path.name for path in sorted(self._converter.submitted(student).glob("*.ipynb"))]
        if [path.name for path in copies] != names or not copies:
            return False
        stamp = self._stamp(student)
        return all(_stamp_of(path) == stamp for path in copies)

    def _stamp(self, student: str) -> str:
        return digest(self._settings, self._source, _contents(self._converter.submitted(student)))


def _contents(folder: Path) -> str:
    """A digest of the names and bytes of the regular files below a folder."""
    parts: list[bytes | str] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            parts += [str(path.relative_to(folder)), path.read_bytes()]
    return digest(*parts)


def _stamp_of(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())["metadata"]["torchgrade"][STAMP]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _require_generated(book: OpenGradebook, assignment: str) -> None:
    try:
        if book.find_assignment(assignment).notebooks:
            return
    except MissingEntry:
        pass
    raise GradebookError(
        f"the gradebook does not know the assignment {assignment!r}: run nbgrader generate_assignment {assignment} first"
    )
