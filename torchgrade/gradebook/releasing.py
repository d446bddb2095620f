"""``torchgrade release``: nbgrader's generate_assignment, made aside, so that an error changes nothing."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.course import Course
from torchgrade.gradebook.running import GradebookError, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.store import one_gradebook

_RAISED = re.compile(r"^[A-Za-z_][\w.]*: (.+)$", re.MULTILINE)


def release(course: Course, assignment: str) -> list[str]:
    """Make ``release/<assignment>/`` and enter the assignment into the gradebook; the lines to print.

    Nothing changes, in the release or in the gradebook, unless everything that can be checked is right: points, leaks,
    and that nbgrader can make it. Submissions that the gradebook holds stay as they are. Raises
    :class:`GradebookError`, or :class:`torchgrade.course.CourseError` where there is no such assignment.
    """
    course.require_assignment(assignment)
    course.release.mkdir(parents=True, exist_ok=True)
    # Inside the release folder: the rename below must not cross a file system.
    with tempfile.TemporaryDirectory(dir=course.release, prefix=".new-") as folder:
        new = Path(folder)
        _generate(course, assignment, new)
        _replace(course.release / assignment, new / assignment, new / ".old")
    files = sorted(p.name for p in (course.release / assignment).rglob("*") if p.is_file())
    return [f"released {assignment}: {course.release / assignment} ({', '.join(files)})"]


def _generate(course: Course, assignment: str, to: Path) -> None:
    config = config_of(course)
    config.CourseDirectory.release_directory = str(to)
    log, lines = quiet_log()
    coursedir = course_directory(config, log, assignment)
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id) as book, book.whole():
            GenerateAssignment(coursedir=coursedir, config=config, log=log).start()
    except (NbGraderException, SQLAlchemyError) as error:
        # nbgrader wraps some errors of the database and logs the traceback of all others.
        cause = error.__context__ if isinstance(error.__context__, SQLAlchemyError) else error
        why = "" if isinstance(cause, SQLAlchemyError) else _why(lines.messages)
        raise GradebookError(why or explain(cause, coursedir.db_url)) from error


def _why(messages: list[str]) -> str:
    """What raised, according to the tracebacks among the lines that nbgrader logs, without the name of the class."""
    for message in messages:
        if message.startswith("Traceback") and (raised := _RAISED.findall(message)):
            return str(raised[-1])
    return ""


def _replace(old: Path, new: Path, aside: Path) -> None:
    if old.exists():
        old.rename(aside)
    try:
        new.rename(old)
    except OSError:
        if aside.exists():
            aside.rename(old)
        raise
    shutil.rmtree(aside, ignore_errors=True)
