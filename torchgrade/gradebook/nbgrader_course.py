"""A course as nbgrader's converters need it: its configuration, its folders, a quiet log, and ``alembic`` on the path."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, Configurable, LoggingConfigurable

from torchgrade.course import Course


class LoggedErrors(logging.Handler):
    """A log handler that keeps what nbgrader logs at level error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(record.getMessage())


def quiet_log() -> tuple[logging.Logger, LoggedErrors]:
    """A logger for one converter that prints nothing, and what keeps its errors."""
    # Not from getLogger: nbgrader's own log belongs to whoever runs nbgrader in this process, an open JupyterLab too.
    log = logging.Logger("torchgrade.gradebook", logging.ERROR)  # noqa: LOG001
    lines = LoggedErrors()
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
    owner: Configurable | None = part
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
