"""Enters marks into nbgrader's gradebook, for many students: nbgrader's own autograde, without its kernel and its waiting.

    results/<s>/<a>.json ─┐
    submitted/<s>/<a>/ ───┴─► nbgrader's Autograde, one student at a time ──► autograded/<s>/<a>/ and gradebook.db

The notebook that nbgrader writes carries the stamp of the record that it shows. A submission whose copy has the
record's stamp, and whose scores and time of hand-in in the gradebook are right, is not entered again.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import stat
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from nbgrader.api import MissingEntry
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import find_all_files
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.course import Course, Submission
from torchgrade.gradebook.marks import HandCopy
from torchgrade.gradebook.nbgrader_course import GradebookError, HandedOn, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.preprocessor import score, stamp
from torchgrade.gradebook.store import EARLIER_MARKS, Entered, OpenGradebook, all_entered, one_gradebook
from torchgrade.notebook.cells import CHECK
from torchgrade.record import Record, RecordError, Results
from torchgrade.report.text import few_of, one_line


class Recorder(Autograde):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's converter, one student at a time, with the student's record handed on to its steps."""

    _record: Record | None = None

    def init_notebooks(self) -> None:
        """Do nothing: the notebook is given to :meth:`enter`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def init_single_notebook_resources(self, notebook_filename: str) -> dict[str, Any]:
        """Nbgrader's resources for one notebook, with the record."""
        return HandedOn(self._record).put_into(super().init_single_notebook_resources(notebook_filename))

    def enter(self, record: Record) -> None:
        """Write the autograded copy and the marks of one submission. Raises whatever nbgrader's steps raise."""
        assignment, student = record.assignment, record.student
        source, target = self._handed_in(assignment, student), self._graded(assignment, student)
        if target.exists():
            shutil.rmtree(target)
        self._record = record
        self.notebooks = [str(source / f"{assignment}.ipynb")]
        self.run_pre_convert_hook()
        self.init_assignment(assignment, student)
        for notebook in self.notebooks:
            self.convert_single_notebook(notebook)
        self.set_permissions(assignment, student)
        self.run_post_convert_hook()

    def take_back(self, record: Record) -> None:
        """Remove the autograded copy of a submission, as nbgrader does: a copy without marks would be taken for a graded one."""
        shutil.rmtree(self._graded(record.assignment, record.student), ignore_errors=True)

    def _handed_in(self, assignment: str, student: str) -> Path:
        return Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, assignment))

    def _graded(self, assignment: str, student: str) -> Path:
        return Path(self.coursedir.format_path(self.coursedir.autograded_directory, student, assignment))

    def is_entered(self, record: Record, entered: Entered | None) -> bool:
        """Return whether the marks in the gradebook (``entered``) and the autograded copy are already those of ``record``."""
        assignment, student = record.assignment, record.student
        handed_in = handed_in_at(self.coursedir, self._handed_in(assignment, student))
        copy = self._graded(assignment, student) / f"{assignment}.ipynb"
        if entered is None or stamp_of(copy) != stamp(record):
            return False
        # A submission without a time of its own keeps the time that the gradebook has.
        scores = {cell: points for cell, points in entered.of(assignment).items() if cell.endswith(CHECK)}
        return handed_in in (None, entered.when) and scores == {
            exercise.name + CHECK: score(exercise, exercise.max_points) for exercise in record.exercises
        }


def record_marks(course: Course, submissions: Iterable[Submission | Record]) -> list[str]:
    """Enter the records of these submissions into the gradebook, as a :class:`MarkBook` does; return a line for each problem."""
    with MarkBook(course) as book:
        for submission in submissions:
            book.enter(submission)
    return book.problems


class MarkBook:
    """The gradebook, for entering marks as they come: a context with ``problems``, a line each, empty if all went well.

    A student whom the gradebook does not know is added (``c.Autograde.create_student = False`` prevents that). A file that could
    not be read as a notebook gets no entry: to the gradebook, the submission is missing. One student's problem does not affect
    the others; a student's marks are entered whole or not at all. If the gradebook cannot be used (locked, read-only), a line
    says so, and the submissions after that get no entry.
    """

    def __init__(self, course: Course) -> None:
        self.problems: list[str] = []
        self._course = course
        self._db_url = course_directory(config_of(course), quiet_log()[0], "").db_url
        self._book: _Book | None = None

    def __enter__(self) -> Self:
        with self._or_no_gradebook():
            self._book = _Book(self._course)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._or_no_gradebook():
            if self._book is not None and kind is None:
                self.problems += self._book.keep_copies()
            self._close()

    def enter(self, submission: Submission | Record) -> None:
        """Enter the marks of a submission. Its record is read from ``results/``, unless the record itself is given."""
        if self._book is None:
            return
        with self._or_no_gradebook():
            try:
                problem = self._book.enter(submission)
            except SQLAlchemyError:
                raise
            except _NotReleased as error:
                if str(error) not in self.problems:
                    self.problems.append(str(error))
                return
            except Exception as error:  # noqa: BLE001 - whatever it is, it concerns only this student
                problem = f"not entered into the gradebook: {explain(error, self._db_url)}"
            if problem:
                self.problems.append(f"{submission.student}: {problem}")

    @contextlib.contextmanager
    def _or_no_gradebook(self) -> Iterator[None]:
        """Within the block, an error of the gradebook itself becomes one more problem, and no more marks are entered."""
        try:
            yield
        except (SQLAlchemyError, GradebookError) as error:
            self.problems.append(explain(error, self._db_url))
            self._close()

    def _close(self) -> None:
        book, self._book = self._book, None
        if book is not None:
            book.close()


def require_released(course: Course, assignments: Iterable[str]) -> None:
    """Raise :class:`GradebookError` if the gradebook does not know one of these assignments.

    A gradebook that cannot be read is no reason to delay the grading: what is wrong with it is reported when marks are entered.
    """
    try:
        with contextlib.closing(_Book(course)) as book:
            for assignment in dict.fromkeys(assignments):
                book.require_released(assignment)
    except _NotReleased as error:
        raise GradebookError(f"{error}. Nothing was graded") from error
    except (SQLAlchemyError, GradebookError):
        return


class _NotReleased(GradebookError):
    """The gradebook does not know an assignment."""


class _Book:
    """The open gradebook, with a recorder for each assignment that comes."""

    def __init__(self, course: Course) -> None:
        self._course, self._config = course, config_of(course)
        self._log, _ = quiet_log()
        self._results = Results(course.results)
        self._recorders: dict[str, Recorder] = {}
        self._entered: dict[str, dict[str, Entered]] = {}
        self._copies: dict[str, HandCopy] = {}
        self._open = contextlib.ExitStack()
        coursedir = course_directory(self._config, self._log, "")
        self._book = self._open.enter_context(one_gradebook(coursedir.db_url, coursedir.course_id))

    def close(self) -> None:
        """Close the gradebook."""
        self._open.close()

    def require_released(self, assignment: str) -> None:
        """Raise :class:`_NotReleased` if the gradebook does not know the assignment."""
        _require_released(self._book, assignment)

    def enter(self, submission: Submission | Record) -> str | None:
        """Enter the record of one submission; return its problem, if there is one."""
        recorder = self._recorders.get(submission.assignment) or self._recorder(submission.assignment)
        # The entries as they were when this run began; each is used only once.
        entered = self._entered[submission.assignment].pop(submission.student, None)
        known = submission if isinstance(submission, Record) else None
        record = known or self._results.read(submission.student, submission.assignment)
        return _record(recorder, self._book, record, entered, self._copies[submission.assignment])

    def keep_copies(self) -> list[str]:
        """Keep a copy of what people gave; return a line for each assignment whose copy was put back or could not be written."""
        lines = []
        for copy in self._copies.values():
            if copy.restored:
                lines.append(restored_line(copy))
            try:
                copy.save()
            except RecordError as error:
                lines.append(str(error))
        return lines

    def _recorder(self, assignment: str) -> Recorder:
        _require_released(self._book, assignment)
        coursedir = course_directory(self._config, self._log, assignment)
        recorder = Recorder(coursedir=coursedir, config=self._config, log=self._log)
        recorder.start()
        self._recorders[assignment] = recorder
        self._entered[assignment] = all_entered(self._book, assignment)
        self._copies[assignment] = HandCopy(self._course, assignment, self._book)
        return recorder


def restored_line(copy: HandCopy) -> str:
    """A line about students whose points by hand were put back into a gradebook that was made anew."""
    return f"the gradebook knew nothing of {few_of(copy.restored)}: points and comments by hand were put back from {copy.path}"


def _record(
    recorder: Recorder, book: OpenGradebook, record: Record | None, entered: Entered | None, copy: HandCopy
) -> str | None:
    if record is None:
        return "no record in results/: grade the submission first"
    if not record.readable:
        if entered is None or all(points is None for points in entered.scores.values()):
            return None
        why = one_line(" ".join(record.problems[:1])) or "the file that was handed in cannot be read"
        return f"{why.rstrip('.')}; {EARLIER_MARKS}"
    if recorder.is_entered(record, entered):
        return None
    begun = False
    try:
        with book.whole():
            begun = True
            recorder.enter(record)
            copy.restore(record.student)
    except BaseException:
        if begun:  # the last step, the final write to the gradebook, may fail, too
            recorder.take_back(record)
        raise
    return None


def _require_released(book: OpenGradebook, assignment: str) -> None:
    try:
        book.find_notebook(assignment, assignment)
    except MissingEntry as error:
        raise _NotReleased(
            f"the gradebook does not know the assignment {assignment!r}: run torchgrade release {assignment} first"
        ) from error


def stamp_of(copy: Path) -> object:
    """The stamp of the record whose marks a graded copy shows; ``None`` if there is none."""
    try:
        return json.loads(copy.read_bytes())["metadata"]["torchgrade"]["record"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def refuse_links(folder: Path) -> None:
    """Raise if there is a link: nbgrader copies all files beside the notebook, and would follow it to any file here."""
    for path in (folder, *map(Path, find_all_files(str(folder), []))):
        mode = path.lstat().st_mode
        if not (stat.S_ISREG(mode) or (path == folder and stat.S_ISDIR(mode))):
            raise GradebookError(f"{path} is a link or a device, not a file: delete it, then run this again")


def handed_in_at(coursedir: CourseDirectory, folder: Path) -> datetime | None:
    """The time in a submission's ``timestamp.txt``, if there is one.

    Raises :class:`GradebookError` if the file does not hold a time, and for links, as :func:`refuse_links` does.
    """
    refuse_links(folder)
    try:
        handed_in: datetime | None = coursedir.get_existing_timestamp(str(folder))
    except (AttributeError, ValueError, OverflowError) as error:  # nbgrader's own report of it fails, too
        raise GradebookError(
            "timestamp.txt does not hold a time: write one, such as 2026-01-31 23:59:59 UTC, or delete the file"
        ) from error
    return handed_in
