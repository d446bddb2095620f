"""A course as nbgrader needs it: configuration, folders, its errors in one line, and what its steps hand on to each other."""

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

# ---- errors of nbgrader or its gradebook, as one line for an instructor

ANEW = (
    "To have a new one: torchgrade release ASSIGNMENT, torchgrade grade ASSIGNMENT. That grades nothing again: marks come from "
    "results/, points by hand from results/by-hand/, as they were when marks were last entered."
)
"""The way out where there is no gradebook any more."""
_DAMAGE = ("not a database", "malformed", "disk image")
_LONGEST = 500
"""Characters of an error that may become part of a line; validators like to print the whole notebook."""

# PostgreSQL's names for errors, https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOCKED = ("55P03", "40P01")
"""A lock that did not come in time, a deadlock."""
_UNREACHABLE = ("08", "57P")
"""The classes of a lost connection, and of a server that was stopped."""


class GradebookError(TorchgradeError):
    """nbgrader or its gradebook could not do what was asked. The text is one line, for the instructor.

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
    """One line for an instructor about what went wrong with the gradebook or in a converter, without the gradebook's password."""
    if not isinstance(error, SQLAlchemyError):
        said = " ".join(str(error).split())[:_LONGEST]
        # Such a text is a bare key, or names an object of the program: alone it says nothing.
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
    """The file of a gradebook that is one; ``None`` for a server, or for an address that only SQLite understands."""
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database.startswith(("file:", ":")):
        return None
    return Path(url.database)


# ---- a course as nbgrader's converters need it: its configuration, its folders, a quiet log, and ``alembic`` on the path


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


# ---- types of the resources that nbgrader's converters pass to a preprocessor beside the notebook, as far as they are read here


class Facts(TypedDict):
    """Which notebook it is: names, and the address of the gradebook."""

    student: str
    assignment: str
    notebook: str
    db_url: str


class Resources(TypedDict):
    """nbconvert's resources; there is more in them, for others."""

    nbgrader: Facts


# ---- facts that our converters hand on to the steps which nbgrader runs, in the resources that go from step to step
#
# nbgrader's own commands hand nothing on; then each step looks for itself.

_NAME = "torchgrade"


@dataclasses.dataclass(slots=True)
class HandedOn:
    """Facts about the student whose notebook is being converted."""

    record: Record | None = None
    """Whose marks are entered; without one, :class:`GradeWithTorchgrade` asks for the submission to be graded."""
    executed: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Notebooks that were run already, by name, with their outputs: ``ExecuteInJail`` need not run them."""
    problems: list[str] = dataclasses.field(default_factory=list)
    """Messages of the steps for whoever started the run, one line each."""

    def put_into(self, resources: dict[str, Any]) -> dict[str, Any]:
        """The same resources, with this among them."""
        resources[_NAME] = self
        return resources

    def __deepcopy__(self, _memo: Any) -> Self:
        """Return itself: nbconvert copies all resources for the steps, and the steps' messages must come back."""
        return self


def handed_on(resources: Mapping[str, object]) -> HandedOn:
    """Return the :class:`HandedOn` that a converter put into these resources, or an empty one."""
    found = resources.get(_NAME)
    return found if isinstance(found, HandedOn) else HandedOn()


# ---- how nbgrader reads a submission: through the same door as the grader, so that both see the same notebook or none


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter, but for regular files of bounded size only; the rest is refused."""

    def from_filename(
        self,
        filename: str,
        resources: dict[str, Any] | None = None,
        **kw: Any,
    ) -> tuple[Any, dict[str, Any]]:
        """Read and convert; :class:`torchgrade.notebook.NotebookError` where the file cannot be read as a notebook."""
        path, course = Path(filename), course_of(self)
        if not path.is_relative_to(course.submitted):
            # The copy of an earlier step, ours: it may have more cells and be larger than what a student may send.
            return super().from_filename(filename, resources, **kw)
        notebook = read_notebook(path, max_bytes=course.limits.notebook_bytes, pictures=True)
        resources = {**(resources or {}), "metadata": {"name": path.stem, "path": str(path.parent)}}
        exported: tuple[Any, dict[str, Any]] = self.from_notebook_node(notebook, resources, **kw)  # type: ignore[no-untyped-call]
        return exported
