"""Digests of all that the marks of a submission in a classic course rest on: they tell whether to grade it again, and why.

submitted/<s>/<a>/ ──┐
source/<a>/ ─────────┼──► Basis ──► its stamp in the graded copies; a line of results/<s>/<a>.gradings.jsonl
settings, record ────┘
gradebook.db: notebooks, scores ──► are the marks that the copies were stamped with still there?
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import fnmatch
import functools
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import nbformat
from nbgrader.api import MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.classic.gradings import Basis, Gradings
from torchgrade.course import Course, Submission
from torchgrade.gradebook.cells import exercises_among_tests
from torchgrade.gradebook.nbgrader_course import GradebookError, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.preprocessor import stamp
from torchgrade.gradebook.store import Entered, OpenGradebook, all_entered, one_gradebook
from torchgrade.notebook import write_notebook
from torchgrade.record import Record, Results, digest
from torchgrade.runs import Regrade
from torchgrade.runs import to_grade as without_record
from torchgrade.runs.reuse import read_submission
from torchgrade.runs.watching import rests

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
"""Sections of the configuration that marks may rest on."""


class Bases:
    """The bases of one assignment's submissions. Raises :class:`GradebookError` if it has an exercise that cannot be graded.

    ``book`` is the gradebook, if the caller has it open; otherwise it is opened once, when it is first needed.
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
        """Return what checks gave to the notebook that is there now, if it has exercises."""
        if not self._checked:
            return None
        record = self._results.read(student, self._assignment)
        file = read_submission(self._course, Submission(self._assignment, student))
        return record if record is not None and record.digests.notebook == digest(file.data) else None

    def require_record(self, student: str) -> None:
        """Raise :class:`GradebookError` if there should be a record and there is none."""
        there = os.path.lexists(self._course.submission(student, self._assignment))
        if self._checked and there and self.record(student) is None:
            raise GradebookError("its exercises could not be graded; run this again")

    def is_current(self, student: str) -> bool:
        """Return whether the graded copies were made from what is there now, and the gradebook has the resulting marks.

        Raises :class:`GradebookError` if the gradebook cannot be read.
        """
        entered, stamps = self.entered.get(student), stamps_of(self._course.autograded / student / self._assignment)
        # nbgrader leaves out notebooks that are not the assignment's: a copy of one, say, or one to try things out in.
        known = {path.name for path in self._submitted(student) if path.stem in self.notebooks}
        if entered is None or not known or set(stamps) != known:
            return False
        return set(stamps.values()) == {Stamp(self.of(student).stamp, entered.digest)}

    def stamps(self, student: str) -> dict[str, str | None]:
        """By notebook: the stamp of what its graded copy was made from; ``None`` for a copy that nbgrader's own command made."""
        found = stamps_of(self._course.autograded / student / self._assignment)
        return {name: given.graded_from if given is not None else None for name, given in found.items()}

    def has_earlier_marks(self, student: str) -> bool:
        """Return whether the gradebook, when it was opened, had scores in a notebook that the student has handed in now."""
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
        """A digest of the names and bytes of the regular files below a folder, except those that nbgrader ignores."""
        parts: list[bytes | str] = []
        if folder.is_symlink():  # it is refused later, and is not followed here
            return digest()
        for path in sorted(_files(folder, self._coursedir.ignore)):
            parts.append(str(path.relative_to(folder)))
            try:
                parts.append(path.read_bytes())
            except OSError as error:  # reported when it is copied, as a problem of its own student only
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
    """The regular files below a folder. Anything that matches one of the patterns is left out, with all that is below it."""

    def counts(name: str) -> bool:
        return not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)

    for where, folders, names in os.walk(folder):
        folders[:] = filter(counts, folders)
        for path in (Path(where, name) for name in names if counts(name)):
            if path.is_file() and not path.is_symlink():
                yield path


# ---- the stamp of a graded copy
#
# It says what the marks were made from, and what the gradebook had once they were entered.
#
#     marks ──► gradebook.db, written for good ──► stamp_copies ──► metadata of each notebook in autograded/<s>/<a>/
#
# It is written last: if the run ends at any moment before that, the copies have no stamp, and the next run grades them again.


class Stamp(NamedTuple):
    """The stamp as it is in the metadata: below ``torchgrade``, under these names."""

    graded_from: str
    """The stamp of the :class:`torchgrade.classic.gradings.Basis`."""
    entered: str
    """The digest of the :class:`torchgrade.gradebook.store.Entered`."""


def stamp_copies(folder: Path, given: Stamp) -> None:
    """Stamp the notebooks of a graded copy; each is rewritten whole. Raises ``NotebookError`` if the disk refuses."""
    for path in notebooks_of(folder):
        mode = stat.S_IMODE(path.stat().st_mode)
        notebook = nbformat.from_dict(json.loads(path.read_bytes()))  # ours, so it is valid: it was written a moment ago
        notebook.metadata["torchgrade"] = {**notebook.metadata.get("torchgrade", {}), **given._asdict()}
        write_notebook(notebook, path)
        path.chmod(mode)


def stamps_of(folder: Path) -> dict[str, Stamp | None]:
    """By the notebook's file name: its stamp; ``None`` if its grading was cut off, or done by nbgrader's own command."""
    return {path.name: _stamp_of(path) for path in notebooks_of(folder)}


def notebooks_of(folder: Path) -> list[Path]:
    """The notebooks in a folder, by name."""
    return sorted(folder.glob("*.ipynb"))


def _stamp_of(path: Path) -> Stamp | None:
    try:
        facts = json.loads(path.read_bytes())["metadata"]["torchgrade"]
        return Stamp(*(facts[name] for name in Stamp._fields))
    except (OSError, ValueError, KeyError, TypeError):
        return None


# ---- submissions to grade: their exercises by judges, or all of them


def to_judge(
    course: Course,
    submissions: Iterable[Submission],
    *,
    regrades: Mapping[str, Regrade] = MappingProxyType({}),
    at: dt.datetime | None = None,
) -> list[Submission]:
    """Return the submissions that have exercises but no record of the notebook as it is now.

    ``regrades`` and ``at`` are as in :func:`torchgrade.runs.to_grade`.
    """
    there = list(submissions)
    checked = {name for name in {each.assignment for each in there} if exercises_among_tests(course, name)}
    mixed = [each for each in there if each.assignment in checked]
    mixed = [each for each in mixed if os.path.lexists(course.submission(each.student, each.assignment))]
    return without_record(course, mixed, regrades=regrades, at=at)


def to_grade(course: Course, submissions: Iterable[Submission], at: dt.datetime) -> list[Submission]:
    """Return the submissions that are new or have changed, or whose checks have; ``at`` is the time at which a watch looks.

    A submission that has failed just as it is now is left out: for good, if that was its own fault; for a while, if it was ours.
    """
    there = list(submissions)
    lacking = set(to_judge(course, there, at=at))
    bases = {name: Bases(course, name) for name in {each.assignment for each in there}}
    gradings = Gradings(course.results)

    def wanted(submission: Submission) -> bool:
        assignment, student = submission
        if submission in lacking:
            return True
        failed = gradings.failures(student, assignment, bases[assignment].of(student))
        if failed and (not failed[-1].ours or rests([dt.datetime.fromisoformat(each.graded_at) for each in failed], at)):
            return False
        return not bases[assignment].is_current(student)

    return [each for each in there if wanted(each)]


def stamp_to_show(bases: Bases, student: str) -> str:
    """The stamp of the student's graded copies, if they were made from what is there now; otherwise empty."""
    return bases.of(student).stamp if bases.is_current(student) else ""
