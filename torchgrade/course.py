"""A course on disk: its folders, which kind of course it is, and the settings that ``nbgrader_config.py`` holds."""

from __future__ import annotations

import dataclasses
import difflib
import os
import unicodedata
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

import traitlets
from traitlets import TraitError
from traitlets.config import Config, Configurable
from traitlets.config.loader import ConfigFileNotFound, LazyConfigValue, PyFileConfigLoader

from torchgrade.errors import TorchgradeError

# ---- torchgrade's settings
#
# They are traitlets, so that they can be set in ``nbgrader_config.py`` beside nbgrader's own.


class Watch(Configurable):
    """How ``torchgrade watch`` grades what arrives. ``c.Watch.<name> = …`` in ``nbgrader_config.py`` changes it."""

    gradings_per_hour = traitlets.Int(
        6, min=1, help="How many submissions of one student are graded within an hour; a newer one waits."
    ).tag(config=True)
    every_seconds = traitlets.Float(30.0, min=0.1, help="Seconds between two looks at the exchange.").tag(config=True)


class Pages(Configurable):
    """How pages for students and for the class are made. ``c.Pages.<name> = …`` in ``nbgrader_config.py`` changes it."""

    name_misconceptions = traitlets.Bool(
        True,  # noqa: FBT003 - traitlets' signature
        help="Whether pages name, as a guess, the mistake of the bank that fails exactly the checks a submission fails.",
    ).tag(config=True)
    solutions = traitlets.Unicode(
        help="The address of the page that torchgrade solutions wrote, with {assignment} in it; students' pages link to it."
    ).tag(config=True)


class Audits(Configurable):
    """Where audits of the graders are kept. ``c.Audits.folder = …`` in ``nbgrader_config.py`` changes it."""

    folder = traitlets.Unicode(
        "results/audits",
        help="The folder of the audits' documents and pages, as seen from the course folder; release looks for them there.",
    ).tag(config=True)


class Limits(Configurable):
    """The limits on a submission. ``c.Limits.<name> = …`` in ``nbgrader_config.py`` changes a limit."""

    call_seconds = traitlets.Float(
        10.0, min=0.1, help="Seconds that one call of a student's function may take. A check may ask for another limit."
    ).tag(config=True)
    cells_seconds = traitlets.Float(
        10.0, min=0.1, help="Seconds that all cells of a notebook together may take to run, before any check."
    ).tag(config=True)
    submission_seconds = traitlets.Float(
        60.0, min=1.0, help="Seconds that the checks of one submission may take in all; the checks after that fail."
    ).tag(config=True)
    memory_mb = traitlets.Int(
        1024, min=64, help="Megabytes that a submission's processes may take together, beyond what torch itself takes."
    ).tag(config=True)
    gpu_memory_mb = traitlets.Int(
        4096, min=64, help="Megabytes of a GPU's memory that a submission may take, beyond what CUDA itself takes."
    ).tag(config=True)
    scratch_mb = traitlets.Int(
        64, min=1, help="Megabytes that a submission may write to /tmp, and as many to /dev/shm. They count as memory."
    ).tag(config=True)
    processes = traitlets.Int(64, min=4, help="Processes and threads that a submission may have at a time.").tag(config=True)
    open_files = traitlets.Int(256, min=32, help="Files that one process of a submission may have open.").tag(config=True)
    output_kb = traitlets.Int(
        256, min=1, help="Kilobytes of a submission's printed output that are read; printing more ends what runs."
    ).tag(config=True)
    answer_mb = traitlets.Int(256, min=1, help="Megabytes that one answer of a student's function may have.").tag(config=True)
    data_mb = traitlets.Float(
        100.0, min=0, help="Megabytes that the files beside an assignment's notebook may have in all; submissions can read them."
    ).tag(config=True)
    notebook_mb = traitlets.Float(20.0, min=0.01, help="Megabytes that a submitted notebook may have.").tag(config=True)

    @property
    def notebook_bytes(self) -> int:
        """:attr:`notebook_mb` in bytes."""
        return int(self.notebook_mb * 1_000_000)

    @property
    def data_bytes(self) -> int:
        """:attr:`data_mb` in bytes."""
        return int(self.data_mb * 1_000_000)


# ---- kinds of course
#
# A kind is a set of facts. Code that depends on the kind of course asks for the fact that matters, never for the kind itself.
#
# The autograding steps in ``nbgrader_config.py`` decide which kind a course is. What the commands do for each kind is in
# ``torchgrade/cli``; a third kind would be one more :class:`CourseKind` here, and what its facts require there.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CourseKind:
    """The facts that hold in every course of a kind."""

    step: str
    """The step of nbgrader's autograding by which courses of this kind are known, as ``nbgrader_config.py`` names it."""
    tests_in_cells: bool
    """Whether grade cells may hold their own tests. An exercise's cell then calls ``check()``, and there may be no exercises."""
    one_notebook: bool
    """Whether an assignment is one notebook, named after it. Otherwise it may be several notebooks, with any names."""
    whole_records: bool
    """Whether a record holds all marks of a submission except those a person gives. Otherwise only the gradebook does."""


CLASSIC_COURSE = CourseKind(
    step="torchgrade.classic.execute.ExecuteInJail",
    tests_in_cells=True,
    one_notebook=False,
    whole_records=False,
)
CHECKS_COURSE = CourseKind(
    step="torchgrade.gradebook.preprocessor.GradeWithTorchgrade",
    tests_in_cells=False,
    one_notebook=True,
    whole_records=True,
)
KINDS = (CLASSIC_COURSE, CHECKS_COURSE)
"""A course is of the first kind whose step it has: a classic course has the other kind's step as well, for its exercises."""


# ---- folders of a course
#
# They are nbgrader's folders, under the names that nbgrader's configuration gives them.

Settings = TypeVar("Settings", Audits, Limits, Pages, Watch)

CONFIG = "nbgrader_config.py"
_IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback")
"""As nbgrader has it."""
_MARKS = "_.-+@',()"
"""Characters allowed in a student's name besides letters, digits and spaces."""
_STRUCTURE = os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}")  # noqa: PTH118 - a pattern, not a path


class CourseError(TorchgradeError):
    """Something is wrong with the course, or with what was asked of it. The text is one line for the instructor."""


class Submission(NamedTuple):
    """One student's submission for one assignment; both by name."""

    assignment: str
    student: str

    def __str__(self) -> str:
        return f"{self.student}/{self.assignment}"


@dataclasses.dataclass(frozen=True)
class Course:
    """A course folder. ``config`` holds what ``nbgrader_config.py`` (and the command line) says."""

    root: Path
    config: Config

    @cached_property
    def limits(self) -> Limits:
        """The limits of a submission."""
        return self._settings(Limits)

    @cached_property
    def watch(self) -> Watch:
        """How what arrives is graded."""
        return self._settings(Watch)

    @cached_property
    def audits(self) -> Audits:
        """Where audits are kept."""
        return self._settings(Audits)

    @cached_property
    def pages(self) -> Pages:
        """How pages for students and for the class are made."""
        return self._settings(Pages)

    def _settings(self, kind: type[Settings]) -> Settings:
        known = kind.class_trait_names(config=True)
        for name in sorted(set(self.config.get(kind.__name__, {})) - set(known)):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            meant = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known))}"
            raise CourseError(f"{self.root / CONFIG}: c.{kind.__name__} has no setting {name!r}; {meant}")
        try:
            return kind(config=self.config)
        except TraitError as error:
            raise CourseError(f"{self.root / CONFIG}: {error}") from error

    def _folder(self, trait: str, default: str) -> Path:
        return self.root / str(self.config.get("CourseDirectory", {}).get(trait, default))

    def require_structure(self) -> None:
        """Raise :class:`CourseError` if the configuration wants another structure of folders than torchgrade's."""
        found = self.config.get("CourseDirectory", {}).get("directory_structure", _STRUCTURE)
        if os.path.normpath(str(found)) != _STRUCTURE:
            raise CourseError(
                f"{self.root / CONFIG} sets c.CourseDirectory.directory_structure to {str(found)!r}: torchgrade knows "
                f"only {_STRUCTURE!r}; take that line out"
            )

    def require_sections(self) -> None:
        """Raise :class:`CourseError` for settings in a section that does not exist but whose name is close to one of ours."""
        ours = [kind.__name__ for kind in (Audits, Limits, Pages, Watch)]
        for name, section in self.config.items():
            near = difflib.get_close_matches(name, ours, n=1, cutoff=0.8)
            if section and near and name not in ours:
                settings = ", ".join(f"c.{name}.{setting}" for setting in section)
                raise CourseError(f"{self.root / CONFIG}: {settings}: there is no section {name!r}; did you mean c.{near[0]}?")

    @property
    def is_configured(self) -> bool:
        """Return whether ``configure(c)``, of either kind, was called; if not, nbgrader knows nothing of torchgrade."""
        return CHECKS_COURSE.step in self._steps

    @property
    def kind(self) -> CourseKind:
        """Return what kind of course this is; one that is not configured counts as a course of checks."""
        return next((kind for kind in KINDS if kind.step in self._steps), CHECKS_COURSE)

    @property
    def _steps(self) -> Collection[str]:
        steps: Collection[str] = self.config.get("Autograde", {}).get("autograde_preprocessors", [])
        return steps

    @property
    def assignments(self) -> Path:
        """Nbgrader's source directory: one folder per assignment."""
        return self._folder("source_directory", "assignments")

    @property
    def nbgraders_source(self) -> Path:
        """The same folder if ``configure(c)`` was not called: nbgrader's own default has another name."""
        return self._folder("source_directory", "source")

    @property
    def release(self) -> Path:
        """Return what students get."""
        return self._folder("release_directory", "release")

    @property
    def submitted(self) -> Path:
        """Return what students handed in: ``submitted/<student>/<assignment>/<assignment>.ipynb``."""
        return self._folder("submitted_directory", "submitted")

    @property
    def autograded(self) -> Path:
        """Nbgrader's graded copies."""
        return self._folder("autograded_directory", "autograded")

    @property
    def feedback(self) -> Path:
        """The pages for students."""
        return self._folder("feedback_directory", "feedback")

    @property
    def graders(self) -> Path:
        """The checks, one package per assignment."""
        return self.root / "graders"

    @property
    def solutions(self) -> Path:
        """The bank: reference, wheats and chaffs."""
        return self.root / "solutions"

    @property
    def results(self) -> Path:
        """The records."""
        return self.root / "results"

    @property
    def hidden(self) -> list[Path]:
        """The folders that a jail must not show: the course itself, and nbgrader's exchange if the configuration names one."""
        exchange = self.config.get("Exchange", {}).get("root")
        return [self.root, *([Path(str(exchange))] if exchange else [])]

    @property
    def ignored(self) -> tuple[str, ...]:
        """Patterns for the names of files and folders that nbgrader leaves out when it copies an assignment."""
        found = self.config.get("CourseDirectory", {}).get("ignore", _IGNORED)
        return tuple(found.get_value(list(_IGNORED)) if isinstance(found, LazyConfigValue) else found)

    def submission(self, student: str, assignment: str) -> Path:
        """Where nbgrader collects this student's notebook."""
        return self.submitted / student / assignment / f"{assignment}.ipynb"

    def assignment_names(self) -> list[str]:
        """The names of all assignments."""
        if not self.assignments.is_dir():
            return []
        return sorted(p.name for p in self.assignments.iterdir() if (p / f"{p.name}.ipynb").is_file())

    def require_assignment(self, name: str) -> str:
        """Return ``name`` if there is such an assignment; otherwise raise a :class:`CourseError` that lists those there are.

        The notebook must have the assignment's name, unless the course's notebooks may have any name.
        """
        if not self.kind.one_notebook:
            self.notebooks(name)
        elif name not in (names := self.assignment_names()):
            known = ", ".join(names) or "none"
            here = f"there is no assignment {name!r} in {self.assignments}"
            if not self.is_configured and any((self.nbgraders_source / name).glob("*.ipynb")):
                raise CourseError(
                    f"{here}, but one in {self.nbgraders_source}: this looks like a course with tests in its notebooks' own "
                    f"cells. Two lines below c = get_config() in {CONFIG} make it work: from torchgrade.classic import "
                    "configure, and configure(c). torchgrade init writes them"
                )
            raise CourseError(f"{here}; there are: {known}")
        return name

    def notebooks(self, assignment: str) -> list[Path]:
        """The assignment's own notebooks, whatever their names. Raises :class:`CourseError` if there are none."""
        found = sorted((self.assignments / assignment).glob("*.ipynb"))
        if not found:
            known = ", ".join(sorted({path.parent.name for path in self.assignments.glob("*/*.ipynb")})) or "none"
            raise CourseError(f"there is no assignment {assignment!r} in {self.assignments}; there are: {known}")
        return found

    def students(self, assignment: str) -> list[str]:
        """The names of the students from whom nbgrader collected a submission folder for this assignment."""
        return sorted(name for name in self._folders_with(assignment) if _is_name(name))

    def passed_over(self, assignment: str) -> list[str]:
        """One line for each folder that has a submission of this assignment but a name that keeps it out of :meth:`students`."""
        return [
            f"{self.submitted.name}/{name!a}/{assignment} is passed over: a student's name has letters, digits, spaces and any "
            f"of {' '.join(_MARKS)}, begins with a letter, a digit or _, and does not end with a space. Rename the folder"
            for name in sorted(self._folders_with(assignment))
            if not (_is_name(name) or name.startswith("."))
        ]

    def _folders_with(self, assignment: str) -> list[str]:
        if not self.submitted.is_dir():
            return []
        # lexists: a dangling or hostile link is a submission, too; it is refused later, by name.
        folders = self.submitted.iterdir()
        return [each.name for each in folders if each.is_dir() and os.path.lexists(each / assignment)]

    def handed_in(self, assignment: str, students: Iterable[str] = ()) -> list[Submission]:
        """Return what was handed in for an assignment, by student; if ``students`` are named, only theirs.

        Raises :class:`CourseError` if there is no such assignment, or if one of these students has not handed it in.
        """
        self.require_assignment(assignment)
        known = self.students(assignment)
        for student in students:
            if student not in known:
                raise CourseError(f"{student} has not handed in {assignment}; there are: {', '.join(known) or 'none'}")
        return [Submission(assignment, student) for student in sorted(set(students)) or known]


def find_course(start: Path) -> Course:
    """The course whose folder is ``start`` or one above it. Raises :class:`CourseError` if there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            course = Course(folder, _load(folder))
            course.require_structure()
            course.require_sections()
            return course
    raise CourseError(f"no {CONFIG} in {start} or above it: run this in a course folder, or name one with --course")


def _load(folder: Path) -> Config:
    try:
        return PyFileConfigLoader(CONFIG, path=str(folder)).load_config()
    except ConfigFileNotFound as error:
        raise CourseError(f"cannot read {folder / CONFIG}: {error}") from error
    except Exception as error:
        raise CourseError(f"{folder / CONFIG} raised {type(error).__name__}: {error}") from error


def _is_name(name: str) -> bool:
    """Return whether a folder may be a student's: its name is not a path to elsewhere, not a pattern, and not like an option."""
    return (
        (name[0].isalnum() or name[0] == "_")
        and not name.endswith(" ")
        and all(each.isalnum() or each in f" {_MARKS}" or unicodedata.category(each).startswith("M") for each in name)
    )
