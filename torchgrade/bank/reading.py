"""The bank: right solutions (wheats) and wrong ones (chaffs) of an exercise, each a plain file with a docstring.

    solutions/<assignment>/<exercise>/reference.py · wheats/*.py · chaffs/*.py

A chaff makes one mistake, and its docstring says what comes of it in lines that begin with a word and a colon; a longer one goes
on in lines that are indented:

    Fails: test_a (nan), test_b       the checks that it must lose; it passes all others but those that need one of these. In
                                      brackets the slip, as assertions call it, where it tells this mistake from others
    Costs: all, because nothing is computed
                                      the points that this mistake may cost, where they are more than a third, and why
    Says: the gradients were never cleared between steps
                                      the mistake in a student's words: they complete "It looks as if ..."

The reference, and a wheat that students are to see after the deadline, has a line ``Why:``: a paragraph on why it is right, and
what it does otherwise than others.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Mapping
from pathlib import Path

from torchgrade.checks.declared import GraderError
from torchgrade.course import Course
from torchgrade.judge.plan import Plan

_LINE = r"^{}:[ \t]*(.+(?:\n[ \t]+.+)*)$"
_FAILS = re.compile(r"(\w+)(?:\s+\(([^)]*)\))?")
_COSTS = re.compile(r"(all|\d+(?:\.\d+)?),\s+because\s+(\S.*)", re.DOTALL)


@dataclasses.dataclass(frozen=True, slots=True)
class Price:
    """The points that a mistake may cost at most (``inf``: all of them), and why that is fair."""

    points: float
    because: str


@dataclasses.dataclass(frozen=True, slots=True)
class Solution:
    """One file of the bank. ``fails`` names the checks that it must fail; a right one fails none.

    ``slips`` says of some of them how: nan, shape, dtype, … ``costs`` is the price that its author defends, ``says`` the mistake
    in a student's words, ``why`` what one may learn from a right one; each only where it is written.
    """

    path: Path
    title: str
    text: str
    fails: frozenset[str]
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)
    costs: Price | None = None
    says: str = ""
    why: str = ""

    @property
    def is_correct(self) -> bool:
        """True if the solution must get full marks."""
        return not self.fails


def read_bank(course: Course, assignment: str, exercise: str) -> list[Solution]:
    """Return the reference, the wheats and the chaffs, by name.

    Raises :class:`GraderError` where the reference is missing, or a file does not say what it is.
    """
    folder = course.solutions / assignment / exercise
    if not (folder / "reference.py").is_file():
        raise GraderError(f"{assignment}: {exercise} has no reference solution: {folder / 'reference.py'} is missing")
    return [_read(path) for path in (folder / "reference.py", *sorted(folder.glob("wheats/*.py")), *_chaffs(folder))]


def read_chaffs(course: Course, assignment: str, exercise: str) -> list[Solution]:
    """Return the chaffs of an exercise, by name: none where it has no bank. Raises :class:`GraderError` as above."""
    return [_read(path) for path in _chaffs(course.solutions / assignment / exercise)]


def _chaffs(folder: Path) -> list[Path]:
    return sorted(folder.glob("chaffs/*.py"))


def _read(path: Path) -> Solution:
    text = path.read_text(encoding="utf-8")
    try:
        docstring = ast.get_docstring(ast.parse(text)) or ""
    except SyntaxError as error:
        raise GraderError(f"{path}: {error.msg} (line {error.lineno})") from error
    if not docstring:
        raise GraderError(f"{path} has no docstring that says what it is")
    named = _FAILS.findall(_said("Fails", docstring))
    fails, slips = frozenset(name for name, _ in named), {name: slip for name, slip in named if slip}
    is_chaff = path.parent.name == "chaffs"
    if bool(fails) != is_chaff:
        raise GraderError(f"{path}: a chaff's docstring names the checks it fails ('Fails: test_...'), and no other file's does")
    costs, says = _said("Costs", docstring), _said("Says", docstring).rstrip(".")
    if (costs or says) and not is_chaff:
        raise GraderError(f"{path}: Costs: and Says: are about a mistake, and stand in a chaff's docstring only")
    if (why := _said("Why", docstring)) and is_chaff:
        raise GraderError(f"{path}: Why: is about a right answer; what is wrong with a chaff is in Says:")
    price = _price(path, costs) if costs else None
    return Solution(path, docstring.splitlines()[0].rstrip("."), text, fails, slips, price, says, why)


def _said(word: str, docstring: str) -> str:
    """Return the text after ``word:`` in a docstring, on one line; empty where there is no such line."""
    found = re.search(_LINE.format(word), docstring, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _price(path: Path, text: str) -> Price:
    found = _COSTS.fullmatch(text)
    if found is None:
        raise GraderError(f"{path}: 'Costs: {text}' is not of the form 'Costs: 7.5, because ...' or 'Costs: all, because ...'")
    return Price(math.inf if found[1] == "all" else float(found[1]), found[2].rstrip("."))


def expected_points(plan: Plan, exercise: str, solution: Solution) -> float:
    """Return the points that the exercise's checks must give the solution."""
    return sum(c.declaration.points for c in plan.of(exercise) if c.name not in checks_lost(plan, exercise, solution.fails))


def checks_lost(plan: Plan, exercise: str, fails: frozenset[str]) -> frozenset[str]:
    """Return the checks that give nothing where those in ``fails`` fail: these, and all that need one of them."""
    lost = set(fails)
    for check in plan.of(exercise):  # a check stands below those that it needs
        if lost.intersection(check.declaration.needs):
            lost.add(check.name)
    return frozenset(lost)
