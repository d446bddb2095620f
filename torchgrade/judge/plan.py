"""The checks that an assignment's graders declare, and what each is worth.

These are read from the judge's own files, before any submission and apart from it: a check that was not reached is still in the
plan, with its points, and has failed.

    graders/<assignment>/test_<exercise>.py      hidden checks
    graders/<assignment>/public_<exercise>.py    checks that students hold as well
    graders/<assignment>/probes.py               what runs beside the student's code
    graders/<assignment>/probes_<exercise>.py    the same, for one exercise
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from types import ModuleType

from torchgrade.checks.declared import GraderError, PlannedCheck, checks_in
from torchgrade.course import Course
from torchgrade.record import Visibility

_CROSSES = re.compile(r"probes|(probes|public)_\w+")
_FILE = re.compile(r"(test|public)_(\w+)\.py")
_VISIBILITY = {"test": Visibility.HIDDEN, "public": Visibility.PUBLIC}


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """All checks of an assignment, public ones first, each file's in its order."""

    checks: tuple[PlannedCheck, ...]

    def of(self, exercise: str) -> list[PlannedCheck]:
        """The checks of one exercise."""
        return [check for check in self.checks if check.exercise == exercise]

    def chosen(self, exercise: str | None, names: Collection[str] = (), *, races: bool | None = None) -> list[PlannedCheck]:
        """The checks of one exercise, or of all: those with these names and what they need, or every check if no name is given.

        ``races``: of these, only the ones that race and what they need (true), or only those that do not race (false).
        """
        found = [check for check in self.checks if exercise in (None, check.exercise)]
        if unknown := sorted(set(names) - {check.name for check in found}):
            raise GraderError(f"there is no check {unknown[0]!r}; there are: {', '.join(check.name for check in found)}")
        asked = [check for check in found if (not names or check.name in names) and races in (None, check.races)]
        wanted = {(check.exercise, check.name) for check in asked}
        for check in reversed(found):  # a check stands below those that it needs
            if (check.exercise, check.name) in wanted:
                wanted.update((check.exercise, needed) for needed in check.declaration.needs)
        return [check for check in found if (check.exercise, check.name) in wanted]

    def points(self) -> dict[str, float]:
        """The sum of each exercise's checks' points, by exercise."""
        total: Counter[str] = Counter()
        for check in self.checks:
            total[check.exercise] += check.declaration.points  # type: ignore[assignment]
        return dict(total)


def exercise_of(path: Path) -> tuple[Visibility, str] | None:
    """The exercise that a grader file is for, by its name, and the visibility of its checks; ``None`` for other files."""
    found = _FILE.fullmatch(path.name)
    return (_VISIBILITY[found[1]], found[2]) if found else None


def grader_files(course: Course, assignment: str) -> list[Path]:
    """The grader files of an assignment, public ones first."""
    folder = course.graders / assignment
    if not folder.is_dir():
        raise GraderError(f"there are no graders for {assignment!r}: {folder} is missing")
    files = [path for path in sorted(folder.glob("*.py")) if exercise_of(path) is not None]
    if not files:
        raise GraderError(f"there are no graders for {assignment!r}: no test_<exercise>.py in {folder}")
    return sorted(files, key=lambda path: path.name.startswith("test_"))


def read_plan(course: Course, assignment: str) -> Plan:
    """Import the graders and list their checks. Raises :class:`GraderError`, in one line, for a grader that is wrong."""
    checks = [check for path in grader_files(course, assignment) for check in _checks_of(course, assignment, path)]
    names = Counter((check.exercise, check.name) for check in checks)
    for (exercise, name), count in names.items():
        if count > 1:
            raise GraderError(f"{exercise}: two checks are named {name}; a public and a hidden one need different names")
    return Plan(tuple(checks))


def _checks_of(course: Course, assignment: str, path: Path) -> list[PlannedCheck]:
    visibility, exercise = exercise_of(path) or (Visibility.HIDDEN, "")
    module = _import(course, assignment, path)
    return [check for check, _ in checks_in(module, exercise, visibility)]


def _import(course: Course, assignment: str, path: Path) -> ModuleType:
    # As pytest imports them, so that both hold the same module: graders is a package of the course.
    _forget_other_courses(course)
    if sys.path[0] != (root := str(course.root)):
        sys.path.insert(0, root)
    name = f"{course.graders.name}.{assignment}.{path.stem}"
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise GraderError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error


def _forget_other_courses(course: Course) -> None:
    """Drop imported graders of other courses, which a process that turns to this course would find under the same names."""
    package = sys.modules.get(course.graders.name)
    if package is None or str(course.graders) in map(str, package.__path__):
        return
    for name in [name for name in sys.modules if name.partition(".")[0] == course.graders.name]:
        del sys.modules[name]


def grader_points(course: Course, assignment: str) -> dict[str, float]:
    """The sum of the points of each exercise's checks, as the graders declare them, by exercise."""
    return read_plan(course, assignment).points()


def hidden_kinds(course: Course, assignment: str) -> Mapping[str, Mapping[str, int]]:
    """For each exercise, how many hidden checks of each kind are worth points; students are told."""
    kinds: dict[str, Counter[str]] = {}
    for check in read_plan(course, assignment).checks:
        counter = kinds.setdefault(check.exercise, Counter())
        if check.visibility is Visibility.HIDDEN and check.declaration.points:
            counter[check.declaration.kind] += 1
    return {exercise: dict(sorted(counter.items())) for exercise, counter in kinds.items()}


def read_probes(course: Course, assignment: str) -> dict[str, str]:
    """The sources, by module, of what crosses into the jail and so must not hold a secret: probes, and files of public checks."""
    folder = course.graders / assignment
    files = [path for path in sorted(folder.glob("p*.py")) if _CROSSES.fullmatch(path.stem)]
    return {path.stem: path.read_text(encoding="utf-8") for path in files}
