"""Running nbgrader's converters in this process: its course, its gradebook, and its log as lines for an instructor."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from traitlets.config import Config, LoggingConfigurable

from torchgrade.course import Course

_LONGEST = 500
"""Characters of an error that may become part of a line; validators like to print the whole notebook."""


class GradebookError(Exception):
    """nbgrader or its gradebook could not do what was asked. The text is one line, for the instructor.

    ``pages`` are the feedback pages that were written all the same.
    """

    def __init__(self, line: str, pages: Sequence[Path] = ()) -> None:
        super().__init__(line)
        self.pages = tuple(pages)


class Lines(logging.Handler):
    """What nbgrader logged at level error, one message an item."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(record.getMessage())


def quiet_log() -> tuple[logging.Logger, Lines]:
    """A logger for one converter that prints nothing, and what keeps its errors."""
    # Not from getLogger: nbgrader's own log belongs to whoever runs nbgrader in this process, an open JupyterLab too.
    log = logging.Logger("torchgrade.gradebook", logging.ERROR)  # noqa: LOG001
    lines = Lines()
    log.addHandler(lines)
    return log, lines


def config_of(course: Course) -> Config:
    """A copy of the course's configuration, with its folder as nbgrader's course directory."""
    config = copy.deepcopy(course.config)
    config.CourseDirectory.root = str(course.root)
    return config


def course_directory(config: Config, log: logging.Logger, assignment: str, student: str = "*") -> CourseDirectory:
    """The course as nbgrader knows it, for one assignment."""
    coursedir = CourseDirectory(config=config, log=log)
    coursedir.assignment_id = assignment
    coursedir.student_id = student
    return coursedir


def course_of(part: LoggingConfigurable) -> Course:
    """The course that a preprocessor or exporter is working on, whoever started it."""
    owner: Any = part
    while owner is not None:
        if (coursedir := getattr(owner, "coursedir", None)) is not None:
            return Course(Path(coursedir.root), part.config)
        owner = owner.parent
    # nbgrader's converters work in the course's folder.
    return Course(Path.cwd(), part.config)


@contextlib.contextmanager
def own_programs_on_path() -> Iterator[None]:
    """Let nbgrader find ``alembic``, which it runs by name when it makes a gradebook, beside this Python."""
    if shutil.which("alembic"):
        yield
        return
    before = os.environ.get("PATH")
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = here if not before else here + os.pathsep + before
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def explain(error: BaseException, db_url: str) -> str:
    """One line for an instructor about what went wrong with the gradebook or in a converter."""
    if not isinstance(error, SQLAlchemyError):
        return " ".join(str(error).split())[:_LONGEST] or type(error).__name__
    what = " ".join(str(getattr(error, "orig", None) or error).split())
    where = f"the gradebook {db_url}"
    if "locked" in what:
        return f"{where} is locked: another program is writing to it. Wait for it or close it, then run this again."
    if "readonly" in what or "read-only" in what:
        return f"{where} cannot be written (read-only). Fix its permissions, then run this again."
    if isinstance(error, OperationalError) and "no such" in what:
        return f"{where} is of another version of nbgrader ({what}). Copy it somewhere safe, then run: nbgrader db upgrade"
    return f"{where} cannot be used: {what}"
