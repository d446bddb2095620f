"""A course as nbgrader needs it: configuration and folders; nbgrader's errors in one line; and what its steps hand on."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypedDict

from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError
from traitlets.config import Config, Configurable, LoggingConfigurable

from torchgrade.course import Course
from torchgrade.errors import TorchgradeError
from torchgrade.notebook import read_notebook
from torchgrade.record import Record

# ---- errors of nbgrader or its gradebook, in one line for an instructor

ANEW = (
    "To make a new one: torchgrade release ASSIGNMENT, torchgrade grade ASSIGNMENT. That grades nothing again: marks come from "
    "results/, and points by hand from results/by-hand/, as they were when marks were last entered."
)
"""The way out if there is no gradebook any more."""
_DAMAGE = ("not a database", "malformed", "disk image")
_LONGEST = 500
"""How many characters of an error may become part of a line; validators like to print the whole notebook."""

# PostgreSQL's names for errors, https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOCKED = ("55P03", "40P01")
"""A lock that was not granted in time, and a deadlock."""
_UNREACHABLE = ("08", "57P")
"""The classes of a lost connection, and of a server that was stopped."""


class GradebookError(TorchgradeError):
    """nbgrader or its gradebook could not do what was asked. The text is one line for the instructor.

    ``pages`` are the feedback pages that were written all the same.
    """

    def __init__(self, line: str, pages: Sequence[Path] = ()) -> None:
        super().__init__(line)
        self.pages = tuple(pages)


def without_password(db_url: str) -> str:
    """The gradebook's address as it may be printed: without its password."""
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        return re.sub(r"//.*@", "//***@", db_url)
    text = db_url if url.password is None else url.render_as_string(hide_password=True)
    return re.sub(r"(password=)[^&]*", r"\1***", text)


def explain(error: BaseException, db_url: str) -> str:
    """One line for an instructor about what went wrong in the gradebook or a converter, without the gradebook's password."""
    if not isinstance(error, SQLAlchemyError):
        said = " ".join(str(error).split())[:_LONGEST]
        # The text of such an error is a bare key, or names an object of the program, and says nothing by itself.
        bare = isinstance(error, LookupError | AttributeError | TypeError)
        return f"{type(error).__name__}: {said}" if said and bare else said or type(error).__name__
    what = " ".join(str(getattr(error, "orig", None) or error).replace(db_url, without_password(db_url)).split())[:_LONGEST]
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    where = f"the gradebook {without_password(db_url)}"
    if "locked" in what or state in _LOCKED:
        return f"{where} is locked: another program is writing to it. Wait for it or close it, then run this again."
    file = file_of(db_url)
    if file is not None and ("no such table" in what or (not file.exists() and "unable to open" not in what)):
        return (
            f"{where} is gone: its file was moved or deleted while it was in use. Put it back, then run this again: no record is "
            f"lost. {ANEW}"
        )
    if file is not None and any(damage in what for damage in _DAMAGE):
        return f"{where} is damaged ({what}). Put a copy of it back, or move it away. {ANEW}"
    if "readonly" in what or "read-only" in what:
        return f"{where} cannot be written (read-only). Fix its permissions, then run this again."
    if isinstance(error, OperationalError) and "no such" in what:
        return f"{where} is of another version of nbgrader ({what}). Copy it somewhere safe, then run: nbgrader db upgrade"
    if isinstance(error, OperationalError) and file is None and (state is None or state.startswith(_UNREACHABLE)):
        return f"{where} does not answer ({what}). Start its server, then run this again: no record is lost."
    return f"{where} cannot be used: {what}"


def file_of(db_url: str) -> Path | None:
    """The file of a gradebook that is a file; ``None`` for a server, or for an address that only SQLite understands."""
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database.startswith(("file:", ":")):
        return None
    return Path(url.database)


# ---- a course for nbgrader's converters: configuration, folders, a quiet log, and ``alembic`` on the path


class LoggedErrors(logging.Handler):
    """A log handler that keeps what nbgrader logs at level error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(record.getMessage())


def quiet_log() -> tuple[logging.Logger, LoggedErrors]:
    """A logger for one converter, which prints nothing, and the handler that keeps its errors."""
    # Not from getLogger: nbgrader's own log belongs to the program that runs nbgrader in this process, such as JupyterLab.
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
    """The course, for one assignment, as nbgrader knows it."""
    coursedir = CourseDirectory(config=config, log=log)
    coursedir.assignment_id = assignment
    coursedir.student_id = student
    return coursedir


def course_of(part: LoggingConfigurable) -> Course:
    """The course that a preprocessor or exporter is working on, no matter what started it."""
    owner: Configurable | None = part
    while owner is not None:
        if (coursedir := getattr(owner, "coursedir", None)) is not None:
            return Course(Path(coursedir.root), part.config)
        owner = owner.parent
    # nbgrader's converters work in the course's folder.
    return Course(Path.cwd(), part.config)


@contextlib.contextmanager
def own_programs_on_path() -> Iterator[None]:
    """Let nbgrader find the ``alembic`` beside this Python; it runs it by name when it makes a gradebook."""
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


# ---- resources that nbgrader's converters pass to a preprocessor with the notebook: types of what is read here


class Facts(TypedDict):
    """Which notebook it is: its names, and the address of the gradebook."""

    student: str
    assignment: str
    notebook: str
    db_url: str


class Resources(TypedDict):
    """nbconvert's resources; there is more in them, which is not used here."""

    nbgrader: Facts


# ---- facts that our converters hand on to nbgrader's steps
#
# They are in the resources that go from step to step. nbgrader's own commands hand nothing on; then each step looks for itself.

_NAME = "torchgrade"


@dataclasses.dataclass(slots=True)
class HandedOn:
    """Facts about the student whose notebook is being converted."""

    record: Record | None = None
    """The record whose marks are entered; without one, :class:`GradeWithTorchgrade` has the submission graded."""
    executed: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Notebooks that have already been run, by name, with their outputs: ``ExecuteInJail`` need not run them."""
    problems: list[str] = dataclasses.field(default_factory=list)
    """Messages from the steps to the person who started the run, one line each."""

    def put_into(self, resources: dict[str, Any]) -> dict[str, Any]:
        """Return the same resources, with this object among them."""
        resources[_NAME] = self
        return resources

    def __deepcopy__(self, _memo: Any) -> Self:
        """Return itself: nbconvert copies all resources for the steps, and the steps' messages must come back."""
        return self


def handed_on(resources: Mapping[str, object]) -> HandedOn:
    """Return the :class:`HandedOn` that a converter put into these resources, or an empty one."""
    found = resources.get(_NAME)
    return found if isinstance(found, HandedOn) else HandedOn()


# ---- reading a submission for nbgrader
#
# It is read by the same code as for the grader, so that both see the same notebook, or none.


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter, but only for regular files of bounded size; everything else is refused."""

    def from_filename(
        self,
        filename: str,
        resources: dict[str, Any] | None = None,
        **kw: Any,
    ) -> tuple[Any, dict[str, Any]]:
        """Read and convert. Raises :class:`torchgrade.notebook.NotebookError` if the file cannot be read as a notebook."""
        path, course = Path(filename), course_of(self)
        if not path.is_relative_to(course.submitted):
            # Our own copy, from an earlier step: it may have more cells and be larger than what a student may hand in.
            return super().from_filename(filename, resources, **kw)
        notebook = read_notebook(path, max_bytes=course.limits.notebook_bytes, pictures=True)
        resources = {**(resources or {}), "metadata": {"name": path.stem, "path": str(path.parent)}}
        exported: tuple[Any, dict[str, Any]] = self.from_notebook_node(notebook, resources, **kw)  # type: ignore[no-untyped-call]
        return exported
