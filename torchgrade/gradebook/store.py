"""nbgrader's gradebook, opened once for many submissions, each of which is entered whole or not at all.

nbgrader opens its gradebook anew in every step (ten times a submission), and writes to the disk after every cell. Here
the steps get one gradebook that stays open, and what they write is written when the submission is done.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import warnings
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from nbgrader import api
from nbgrader.api import Assignment, Grade, GradeCell, Notebook, SubmittedAssignment
from sqlalchemy import text, update
from sqlalchemy.exc import NoSuchModuleError, SAWarning, SQLAlchemyError
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from torchgrade.compat.nbgrader import gradebooks_opened_by, schemas_checked_once
from torchgrade.course import Course
from torchgrade.gradebook.nbgrader_course import (
    ANEW,
    GradebookError,
    config_of,
    course_directory,
    explain,
    file_of,
    own_programs_on_path,
    quiet_log,
    without_password,
)
from torchgrade.record import digest

CourseRow = api.Course
_LOCK_SECONDS = 5
"""How many seconds a submission waits for another writer; it is Python's default for SQLite."""

_outermost: list[OpenGradebook] = []
"""The gradebook that all steps are given at present, if there is one."""


class _Session(Session):
    """A session whose ``commit`` only makes what was written visible to later steps."""

    def commit(self) -> None:
        self.flush()
        # As after a real commit: sums of grades, which nbgrader computes in SQL, must be read again.
        self.expire_all()

    def commit_for_good(self) -> None:
        super().commit()


class OpenGradebook(api.Gradebook):  # type: ignore[misc]  # nbgrader has no types
    """A gradebook that its users cannot close, and that is written to disk at the end of :meth:`whole`."""

    def __init__(self, db_url: str, course_id: str) -> None:
        try:
            with own_programs_on_path():
                super().__init__(db_url, course_id)
        except (ModuleNotFoundError, NoSuchModuleError) as error:
            raise GradebookError(
                f"the gradebook {without_password(db_url)} needs a package that is not installed ({error}). For PostgreSQL: "
                "pip install 'torchgrade[postgresql]', and an address that begins with postgresql+psycopg://"
            ) from error
        super().close()
        self.db: scoped_session[_Session] = scoped_session(sessionmaker(class_=_Session, bind=self.engine, autoflush=True))

    def close(self) -> None:
        """Do nothing: the step that asks for it is not the last one."""

    def close_for_good(self) -> None:
        """Close the connection; anything that no :meth:`whole` completed is dropped."""
        super().close()

    @contextlib.contextmanager
    def whole(self) -> Iterator[None]:
        """Enter everything that the block writes, or nothing if it raises. Raises at once if the gradebook is locked."""
        try:
            if self.engine.dialect.name == "postgresql":  # which would wait for ever
                self.db.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
            # Takes the right to write before any file is touched.
            self.db.execute(update(CourseRow).where(CourseRow.id == self.course_id).values(id=self.course_id))
            with warnings.catch_warnings():
                # nbgrader makes a submission's rows in an order that SQLAlchemy warns about; they come out right.
                warnings.filterwarnings("ignore", ".*not in session", SAWarning)
                yield
            self.db().commit_for_good()
        finally:
            self.db.remove()


@contextlib.contextmanager
def one_gradebook(db_url: str, course_id: str) -> Iterator[OpenGradebook]:
    """For the length of the block, give every step of nbgrader's converters, and ours, the same open gradebook.

    In a nested block they keep the gradebook of the outer one.
    """
    book = OpenGradebook(db_url, course_id)
    with contextlib.ExitStack() as stack:
        stack.callback(book.close_for_good)
        if not _outermost:
            _outermost.append(book)
            stack.callback(_outermost.clear)
            stack.enter_context(schemas_checked_once())
            stack.enter_context(gradebooks_opened_by(lambda *_, **__: book))
        yield book


@contextlib.contextmanager
def reading_gradebook(course: Course) -> Iterator[OpenGradebook]:
    """The gradebook of a course, only for reading: if there is none, none is made.

    Raises :class:`GradebookError` if it is not there, or cannot be read.
    """
    coursedir = course_directory(config_of(course), quiet_log()[0], "")
    file = file_of(coursedir.db_url)
    if file is not None and not file.exists():
        raise GradebookError(f"the gradebook {coursedir.db_url} is not there, and with it the marks. Put it back. {ANEW}")
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id) as book:
            yield book
    except SQLAlchemyError as error:
        raise GradebookError(explain(error, coursedir.db_url)) from error


def of_assignment(query: Any, notebook_id: Any, assignment: str, student: str = "") -> Any:
    """Join rows that belong to submitted notebooks, by their ``notebook_id``, with notebook, student and assignment.

    Only rows of this assignment are kept and, if a ``student`` is named, only that student's.
    """
    query = (
        query.join(api.SubmittedNotebook, api.SubmittedNotebook.id == notebook_id)
        .join(api.Notebook, api.Notebook.id == api.SubmittedNotebook.notebook_id)
        .join(api.SubmittedAssignment, api.SubmittedAssignment.id == api.SubmittedNotebook.assignment_id)
        .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
        .filter(api.Assignment.name == assignment)
    )
    return query.filter(api.SubmittedAssignment.student_id == student) if student else query


def gradebook_at(db_url: str) -> Any:
    """A context manager for the gradebook that :func:`one_gradebook` holds open here, or else for nbgrader's own, opened anew."""
    return _outermost[0] if _outermost else api.Gradebook(db_url)


# ---- the gradebook's entries for each student's submission
#
# It takes two queries for a class: most runs find most of it unchanged.

EARLIER_MARKS = "the gradebook still holds the marks of an earlier one: ask for the file again, or change the marks in Formgrader"
"""The end of a line about a submission that cannot be graded."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entered:
    """When a student handed in, and the automatic scores by notebook and grade cell; ``None`` for a cell without a score."""

    when: datetime | None
    scores: dict[tuple[str, str], float | None] = dataclasses.field(default_factory=dict)

    def of(self, notebook: str) -> dict[str, float | None]:
        """The scores in one notebook, by cell."""
        return {cell: points for (name, cell), points in self.scores.items() if name == notebook}

    @property
    def digest(self) -> str:
        """A digest of the time and the automatic scores; points that a person gives do not change it."""
        when = self.when.isoformat() if self.when is not None else ""
        return digest(when, json.dumps(sorted((*key, points) for key, points in self.scores.items())))


def all_entered(book: OpenGradebook, assignment: str, student: str = "") -> dict[str, Entered]:
    """Return the entries of each student who has a submission in the gradebook; with ``student``, only that student's."""
    submissions = (
        book.db.query(SubmittedAssignment.student_id, SubmittedAssignment.timestamp)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment)
    )
    scores = (
        book.db.query(SubmittedAssignment.student_id, Notebook.name, GradeCell.name, Grade.auto_score)
        .select_from(Grade)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
    )
    scores = of_assignment(scores, Grade.notebook_id, assignment, student)
    if student:
        submissions = submissions.filter(SubmittedAssignment.student_id == student)
    try:
        found = {name: Entered(when) for name, when in submissions}
        for name, notebook, cell, points in scores:
            if name in found:  # another program may have entered it between the two queries
                found[name].scores[notebook, cell] = points
    finally:
        book.db.remove()
    return found
