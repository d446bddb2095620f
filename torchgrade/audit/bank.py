"""The bank: correct solutions (wheats) and wrong ones (chaffs) of an exercise, each a plain file with a docstring.

    solutions/<assignment>/<exercise>/reference.py · wheats/*.py · chaffs/*.py

A chaff's docstring has a line ``Fails: test_a, test_b``: the checks that it must lose. Checks that need one of these are
skipped, and it passes all others.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

from torchgrade.checks.declared import GraderError
from torchgrade.course import Course
from torchgrade.judge.plan import Plan

_FAILS = re.compile(r"^Fails:[ \t]*(.+(?:\n[ \t]+.+)*)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class Solution:
    """One file of the bank. ``fails`` names the checks that it must fail; a correct one fails none."""

    path: Path
    title: str
    text: str
    fails: frozenset[str]

    @property
    def is_correct(self) -> bool:
        """True if the solution must get full marks."""
        return not self.fails


def read_bank(course: Course, assignment: str, exercise: str) -> list[Solution]:
    """The reference, the wheats and the chaffs, by name. Raises :class:`GraderError` for a file that does not say what it is."""
    folder = course.solutions / assignment / exercise
    if not (folder / "reference.py").is_file():
        raise GraderError(f"{assignment}: {exercise} has no reference solution: {folder / 'reference.py'} is missing")
    paths = [folder / "reference.py", *sorted(folder.glob("wheats/*.py")), *sorted(folder.glob("chaffs/*.py"))]
    return [_read(path) for path in paths]


def _read(path: Path) -> Solution:
    text = path.read_text(encoding="utf-8")
    try:
        docstring = ast.get_docstring(ast.parse(text)) or ""
    except SyntaxError as error:
        raise GraderError(f"{path}: {error.msg} (line {error.lineno})") from error
    if not docstring:
        raise GraderError(f"{path} has no docstring that says what it is")
    found = _FAILS.search(docstring)
    fails = frozenset(re.findall(r"\w+", found[1])) if found else frozenset()
    if bool(fails) != (path.parent.name == "chaffs"):
        raise GraderError(f"{path}: a chaff's docstring names the checks it fails ('Fails: test_...'), and no other file's does")
    return Solution(path, docstring.splitlines()[0].rstrip("."), text, fails)


def expected_points(plan: Plan, exercise: str, solution: Solution) -> float:
    """Return the points that a solution must get: those of all checks but the ones it fails, and the ones that need these."""
    lost: set[str] = set(solution.fails)
    for check in plan.of(exercise):  # a check stands below those that it needs
        if lost.intersection(check.declaration.needs):
            lost.add(check.name)
    return sum(check.declaration.points for check in plan.of(exercise) if check.name not in lost)
