"""``torchgrade release``: nbgrader's generate_assignment, made aside, so that an error changes nothing.

source ──► made in release/.new-… ──► takes the place of release/<a> ──► the gradebook is written; else the old one comes back
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.course import Course
from torchgrade.files import make_folder, replaced
from torchgrade.gradebook.errors import GradebookError, explain
from torchgrade.gradebook.exercises import own_notebook
from torchgrade.gradebook.handout import unfit
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log
from torchgrade.gradebook.store import one_gradebook

_RAISED = re.compile(r"^[A-Za-z_][\w.]*: (.+)$", re.MULTILINE)


def release(course: Course, assignment: str) -> list[str]:
    """Make ``release/<assignment>/`` and enter the assignment into the gradebook; the lines to print.

    Nothing changes, in the release or in the gradebook, unless everything that can be checked is right: points, leaks,
    that nbgrader can make it, and that it can be written. Submissions that the gradebook holds stay as they are. Raises
    :class:`GradebookError`, or :class:`torchgrade.course.CourseError` where there is no such assignment.
    """
    course.require_assignment(assignment)
    try:
        make_folder(course.release)
        # Inside the release folder: what is made must not cross a file system on its way to its place.
        with tempfile.TemporaryDirectory(dir=course.release, prefix=".new-", ignore_cleanup_errors=True) as folder:
            _make(course, assignment, Path(folder))
    except OSError as error:
        where = error.filename or course.release
        raise GradebookError(f"{assignment} is not released: cannot write {where}: {error.strerror or error}") from error
    files = sorted(p.name for p in (course.release / assignment).rglob("*") if p.is_file())
    return [f"released {assignment}: {course.release / assignment} ({', '.join(files)})"]


def require_fit(course: Course, assignment: str) -> None:
    """Raise :class:`GradebookError` for text or points that :func:`release` would refuse: before anything that takes long."""
    notebook = own_notebook(course.assignments / assignment / f"{assignment}.ipynb")
    if wrong := unfit(course, assignment, notebook):
        raise GradebookError(f"{assignment} is not released: {'; '.join(wrong)}")


def _make(course: Course, assignment: str, aside: Path) -> None:
    config = config_of(course)
    config.CourseDirectory.release_directory = str(aside)
    log, lines = quiet_log()
    coursedir = course_directory(config, log, assignment)
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id) as book, contextlib.ExitStack() as back, book.whole():
            GenerateAssignment(coursedir=coursedir, config=config, log=log).start()
            back.enter_context(replaced(course.release / assignment, aside / assignment, aside / ".old"))
    except (NbGraderException, SQLAlchemyError) as error:
        # nbgrader wraps some errors of the database and logs the traceback of all others.
        cause = error.__context__ if isinstance(error.__context__, SQLAlchemyError) else error
        why = "" if isinstance(cause, SQLAlchemyError) else _why(lines.messages)
        raise GradebookError(why or explain(cause, coursedir.db_url)) from error


def _why(messages: list[str]) -> str:
    """The text of the last exception in a traceback that nbgrader logged, without its class; empty if there is none."""
    for message in messages:
        if message.startswith("Traceback") and (raised := _RAISED.findall(message)):
            return str(raised[-1])
    return ""
