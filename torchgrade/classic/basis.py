"""Digests of all that the marks of a submission of a classic course rest on: they tell whether to grade it again, and why.

submitted/<s>/<a>/ ──┐
source/<a>/ ─────────┼──► Basis ──► its stamp in the graded copies; a line of results/<s>/<a>.gradings.jsonl
settings, record ────┘
gradebook.db: notebooks, scores ──► are the marks that the copies were stamped with still there?
"""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import functools
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbgrader.api import MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.classic.gradings import Basis
from torchgrade.classic.stamps import Stamp, notebooks_of, stamps_of
from torchgrade.course import Course, Submission
from torchgrade.gradebook.entered import Entered, all_entered
from torchgrade.gradebook.errors import GradebookError, explain
from torchgrade.gradebook.exercises import exercises_among_tests
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log
from torchgrade.gradebook.preprocessor import stamp
from torchgrade.gradebook.store import OpenGradebook, one_gradebook
from torchgrade.record import Record, Results, digest
from torchgrade.runs.reuse import read_submission

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


class Bases:
    """The bases of one assignment's submissions. Raises :class:`GradebookError` where it has an exercise that cannot be graded.

    ``book`` is the gradebook, where the caller has it open; else it is opened once, if it is asked for at all.
    """

    def __init__(self, course: Course, assignment: str, book: OpenGradebook | None = None) -> None:
        self._course, self._assignment, self._book = course, assignment, book
        self._coursedir = course_directory(config_of(course), quiet_log()[0], assignment)
        deciding = {name: course.config[name] for name in _DECIDING if name in course.config}
        self._settings = digest(json.dumps(deciding, sort_keys=True, default=repr))
        self._source = self._contents(course.assignments / assignment)
        self._checked = bool(exercises_among_tests(course, assignment))
        self._results = Results(course.results)

    def of(self, student: str) -> Basis:
        """Return what a student's marks rest on, as it is now."""
        record = self.record(student)
        submitted = self._contents(self._course.submitted / student / self._assignment)
        return Basis(submitted, self._source, self._settings, stamp(record) if record is not None else "")

    def record(self, student: str) -> Record | None:
        """Return what checks gave for the notebook that is there now, if it has exercises."""
        if not self._checked:
            return None
        record = self._results.read(student, self._assignment)
        file = read_submission(self._course, Submission(self._assignment, student))
        return record if record is not None and record.digests.notebook == digest(file.data) else None

    def require_record(self, student: str) -> None:
        """Raise :class:`GradebookError` where there should be one and is not."""
        there = os.path.lexists(self._course.submission(student, self._assignment))
        if self._checked and there and self.record(student) is None:
            raise GradebookError("its exercises could not be graded; run this again")

    def is_current(self, student: str) -> bool:
        """Return whether the graded copies were made from what is there now, and the gradebook has the marks that came of it.

        Raises :class:`GradebookError` where the gradebook cannot be read.
        """
        entered, stamps = self.entered.get(student), stamps_of(self._course.autograded / student / self._assignment)
        # nbgrader leaves out what is no notebook of the assignment: a copy of one, or one to try things out in.
        known = {path.name for path in self._submitted(student) if path.stem in self.notebooks}
        if entered is None or not known or set(stamps) != known:
            return False
        return set(stamps.values()) == {Stamp(self.of(student).stamp, entered.digest)}

    def stamps(self, student: str) -> dict[str, str | None]:
        """By notebook: the stamp of what its graded copy was made from; ``None`` for one that nbgrader's own command made."""
        found = stamps_of(self._course.autograded / student / self._assignment)
        return {name: given.graded_from if given is not None else None for name, given in found.items()}

    def has_earlier_marks(self, student: str) -> bool:
        """Return whether the gradebook had scores, when it was opened, in a notebook that the student has handed in now."""
        entered = self.entered.get(student, Entered(None))
        return any(points is not None for path in self._submitted(student) for points in entered.of(path.stem).values())

    @property
    def notebooks(self) -> frozenset[str]:
        """The notebooks of the assignment that the gradebook knows, by name; none if it does not know the assignment."""
        return self._in_gradebook.notebooks

    @property
    def entered(self) -> dict[str, Entered]:
        """Return what the gradebook had of each student when it was first asked."""
        return self._in_gradebook.entered

    @functools.cached_property
    def _in_gradebook(self) -> _InGradebook:
        db_url = self._coursedir.db_url
        try:
            with contextlib.ExitStack() as stack:
                book = self._book or stack.enter_context(one_gradebook(db_url, self._coursedir.course_id))
                return _InGradebook(_notebooks(book, self._assignment), all_entered(book, self._assignment))
        except SQLAlchemyError as error:
            raise GradebookError(explain(error, db_url)) from error

    def _submitted(self, student: str) -> list[Path]:
        return notebooks_of(self._course.submitted / student / self._assignment)

    def _contents(self, folder: Path) -> str:
        """A digest of the names and bytes of the regular files below a folder, without those that nbgrader ignores."""
        parts: list[bytes | str] = []
        if folder.is_symlink():  # it is refused later; nobody walks to where it points
            return digest()
        for path in sorted(_files(folder, self._coursedir.ignore)):
            parts.append(str(path.relative_to(folder)))
            try:
                parts.append(path.read_bytes())
            except OSError as error:  # whoever copies it says so, of its own student alone
                parts.append(f"not readable: {error.strerror}")
        return digest(*parts)


@dataclasses.dataclass(frozen=True, slots=True)
class _InGradebook:
    notebooks: frozenset[str]
    entered: dict[str, Entered]


def _notebooks(book: OpenGradebook, assignment: str) -> frozenset[str]:
    try:
        return frozenset(str(notebook.name) for notebook in book.find_assignment(assignment).notebooks)
    except MissingEntry:
        return frozenset()
    finally:
        book.db.remove()


def _files(folder: Path, ignored: Iterable[str]) -> Iterator[Path]:
    """The regular files below a folder; what has one of these names, wildcards in them, is left out with all that is below it."""

    def counts(name: str) -> bool:
        return not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)

    for where, folders, names in os.walk(folder):
        folders[:] = filter(counts, folders)
        for path in (Path(where, name) for name in names if counts(name)):
            if path.is_file() and not path.is_symlink():
                yield path
