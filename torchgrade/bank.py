"""An exercise's bank of right solutions (wheats) and wrong ones (chaffs), and which of the wrong ones a submission looks like.

    solutions/<assignment>/<exercise>/reference.py · wheats/*.py · chaffs/*.py

Each is a plain file. A chaff makes one mistake, and its docstring says what comes of it in lines that begin with a word and a
colon; a longer one goes on in lines that are indented:

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
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from torchgrade.checks.declared import GraderError
from torchgrade.checks.slips import is_slip
from torchgrade.course import Course
from torchgrade.judge.plan import Plan, read_plan
from torchgrade.record import Check, Exercise, Outcome

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


# ---- names the misconception behind a submission's failed checks, where the bank has just one mistake that fails just these
#
#     kept audit ──► the checks that each chaff failed, how, and with which words ─┐
#     an exercise of a record ──► the checks that failed, how, with which words ───┴──► the sentence of its line Says:, or nothing
#
# Where an audit has not seen the like, the chaffs' own lines ``Fails:`` are asked, more carefully: they say less.
#
# It is a guess. It never changes a mark: it is made for pages alone, from records as they are.

FEWEST = 2
"""Checks that must have failed where no message is compared: several mistakes may fail one."""
MOST = 0.7
"""The share of the checks that may have given nothing, likewise. Where hardly anything is right, there may be many reasons."""
_MOST_SAID = 300
_NO_ANSWER = frozenset({"not written", "not defined"})


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A mistake of the bank: the checks that fail, those that then give nothing, and the mistake in a student's words.

    ``slips`` says of some of the checks how they fail: ``nan``, ``shape``, … ``seen``: what audits saw, for each time the checks
    that failed, each with its slip and the fingerprint of its message.
    """

    fails: frozenset[str]
    lost: frozenset[str]
    says: str
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)
    seen: tuple[Mapping[str, tuple[str, str]], ...] = ()


_NUMBER = re.compile(r"(?<![\w.\[])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)(?![\w\]]|\.\d)")
_SEEN = re.compile(r" \(cell \d.*| at index \[[^\]]*\]|\. (?:It is the right result|Every element is off|All elements are) .*")


def fingerprint(message: str) -> str:
    """Return a message less what depends on the seed, or on where the student wrote what: numbers, indices, lines.

    Shapes and dtypes stay. A pattern in wrong numbers is left out, since the slip has it.
    """
    return _NUMBER.sub("#", _SEEN.sub("", message))[:_MOST_SAID]


def known_mistakes(plan: Plan, exercise: str, chaffs: Iterable[Solution], audit: Mapping[str, Any] | None = None) -> list[Known]:
    """Return what the chaffs of an exercise fail and say; with an audit's document, also what it saw of them."""
    seen = _seen(audit or {}, exercise)
    return [
        Known(
            chaff.fails, checks_lost(plan, exercise, chaff.fails), chaff.says, chaff.slips, tuple(seen.get(chaff.path.stem, ()))
        )
        for chaff in chaffs
    ]


def _seen(audit: Mapping[str, Any], exercise: str) -> dict[str, list[dict[str, tuple[str, str]]]]:
    """Return for each chaff of an audit's document the checks that failed, in each repeat; nothing of documents without words."""
    return {
        solution["name"]: [
            {name: (repeat["slips"].get(name, ""), words) for name, words in repeat["said"].items()}
            for repeat in solution["repeats"]
            if repeat.get("said")
        ]
        for part in audit.get("exercises", ())
        if part["name"] == exercise
        for solution in part["solutions"]
        if solution["kind"] == "chaff"
    }


def read_mistakes(course: Course, assignment: str, exercise: str) -> tuple[Known, ...]:
    """Return the bank's mistakes for an exercise; none where its files cannot be read, since a page is made all the same.

    They are read once for a class, and again when a file has changed.
    """
    chaffs, audit = course.solutions / assignment / exercise / "chaffs", course.root / course.audits.folder / f"{assignment}.json"
    try:
        files = [file for folder in (chaffs, course.graders / assignment) if folder.is_dir() for file in folder.glob("*.py")]
        files += [audit] if audit.is_file() else []
        state = sorted((str(file), file.stat().st_mtime_ns) for file in files)
        if (known := _known_mistakes.get(chaffs)) is None or known[0] != state:
            plan, found = read_plan(course, assignment), read_chaffs(course, assignment, exercise)
            known = _known_mistakes[chaffs] = state, tuple(_known(plan, exercise, found, audit))
    except (GraderError, OSError, UnicodeDecodeError):
        return ()
    return known[1]


def _known(plan: Plan, exercise: str, chaffs: Sequence[Solution], audit: Path) -> list[Known]:
    """Return the mistakes with what an audit saw of them; without that where there is none, or another form of document."""
    try:
        return known_mistakes(plan, exercise, chaffs, json.loads(audit.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return known_mistakes(plan, exercise, chaffs)


_known_mistakes: dict[Path, tuple[list[tuple[str, int]], tuple[Known, ...]]] = {}


def misconception(checks: Sequence[Check], mistakes: Iterable[Known]) -> str:
    """Return the sentence of the mistake that fits these checks, or an empty string where none does, or several with other words.

    A check that is still open may have any outcome. A stub that was not written, or a name that is missing, is no misconception.
    """
    if any(check.slip in _NO_ANSWER for check in checks):
        return ""
    mistakes = list(mistakes)
    undecided = {check.name for check in checks if not check.is_decided}
    shown = {check.name: (check.slip, fingerprint(check.cause or check.message)) for check in checks if _is_failed(check)}
    said = {each.says for each in mistakes if any(_without(seen, undecided) == shown for seen in each.seen)} if shown else set()
    if not said:
        said = {each.says for each in _declared(checks, mistakes, undecided)}
    return said.pop() if len(said) == 1 else ""


def _is_failed(check: Check) -> bool:
    return check.outcome is Outcome.FAILED


def _without(seen: Mapping[str, tuple[str, str]], undecided: set[str]) -> dict[str, tuple[str, str]]:
    return {name: how for name, how in seen.items() if name not in undecided}


def _declared(checks: Sequence[Check], mistakes: Iterable[Known], undecided: set[str]) -> Iterator[Known]:
    """Yield the mistakes whose line ``Fails:`` fits, unless it is too little, or too much, that failed."""
    failed = {check.name for check in checks if _is_failed(check)}
    skipped = {check.name for check in checks if check.outcome is Outcome.SKIPPED}
    if len(failed) >= FEWEST and len(failed | skipped) <= MOST * sum(check.is_decided for check in checks):
        for each in mistakes:
            if each.fails - undecided == failed and skipped <= each.lost and _slips(each, checks):
                yield each


def _slips(mistake: Known, checks: Sequence[Check]) -> bool:
    return all(
        is_slip(check.slip, mistake.slips[check.name])
        for check in checks
        if check.name in mistake.slips and check.outcome is Outcome.FAILED
    )


def misconceptions(course: Course, assignment: str, exercises: Iterable[Exercise]) -> dict[str, str]:
    """Return the misconception of each exercise that one fits, by its name; none where the course wants no guesses."""
    if not course.pages.name_misconceptions:
        return {}
    found = {e.name: misconception(e.checks, read_mistakes(course, assignment, e.name)) for e in exercises if _lost_any(e)}
    return {name: says for name, says in found.items() if says}


def _lost_any(exercise: Exercise) -> bool:
    return any(map(_is_failed, exercise.checks))
