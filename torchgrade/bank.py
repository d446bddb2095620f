"""An exercise's bank of right solutions (wheats) and wrong ones (chaffs), and which of the wrong ones a submission looks like.

    solutions/<assignment>/<exercise>/reference.py · wheats/*.py · chaffs/*.py

Each is a plain file. A chaff makes one mistake, and its docstring says what comes of it in lines that begin with a word and a
colon; a longer line goes on in indented lines:

    Fails: test_a (nan), test_b       the checks that it must lose; it passes all others except those that need one of these. In
                                      brackets the slip, as assertions call it, if it tells this mistake from others
    Costs: all, because nothing is computed
                                      the points that this mistake may cost, if they are more than a third, and why
    Says: the gradients were never cleared between steps
                                      the mistake in a student's words, which complete "It looks as if ..."

The reference, and any wheat that students should see after the deadline, has a line ``Why:``, a paragraph on why it is right and
how it differs from others.
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
    """One file of the bank. ``fails`` names the checks that it must fail; a right solution fails none.

    ``slips`` says how it fails some of them: nan, shape, dtype, … ``costs`` is the price that its author defends, ``says`` is the
    mistake in a student's words, and ``why`` says what can be learned from a right solution. Each is there only if it was
    written.
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

    Raises :class:`GraderError` if the reference is missing, or if a file does not say what it is.
    """
    folder = course.solutions / assignment / exercise
    if not (folder / "reference.py").is_file():
        raise GraderError(f"{assignment}: {exercise} has no reference solution: {folder / 'reference.py'} is missing")
    return [_read(path) for path in (folder / "reference.py", *sorted(folder.glob("wheats/*.py")), *_chaffs(folder))]


def read_chaffs(course: Course, assignment: str, exercise: str) -> list[Solution]:
    """Return the chaffs of an exercise, by name; none if it has no bank. Raises :class:`GraderError` as above."""
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
        raise GraderError(f"{path}: a chaff's docstring, and no other, must name the checks that it fails ('Fails: test_...')")
    costs, says = _said("Costs", docstring), _said("Says", docstring).rstrip(".")
    if (costs or says) and not is_chaff:
        raise GraderError(f"{path}: Costs: and Says: are about a mistake, and belong only in a chaff's docstring")
    if (why := _said("Why", docstring)) and is_chaff:
        raise GraderError(f"{path}: Why: is about a right answer; what is wrong with a chaff belongs in Says:")
    price = _price(path, costs) if costs else None
    return Solution(path, docstring.splitlines()[0].rstrip("."), text, fails, slips, price, says, why)


def _said(word: str, docstring: str) -> str:
    """Return the text after ``word:`` in a docstring, on one line; empty if there is no such line."""
    found = re.search(_LINE.format(word), docstring, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _price(path: Path, text: str) -> Price:
    found = _COSTS.fullmatch(text)
    if found is None:
        raise GraderError(f"{path}: 'Costs: {text}' is not of the form 'Costs: 7.5, because ...' or 'Costs: all, because ...'")
    return Price(math.inf if found[1] == "all" else float(found[1]), found[2].rstrip("."))


def expected_points(plan: Plan, exercise: str, solution: Solution) -> float:
    """Return the points that the exercise's checks must give to the solution."""
    return sum(c.declaration.points for c in plan.of(exercise) if c.name not in checks_lost(plan, exercise, solution.fails))


def checks_lost(plan: Plan, exercise: str, fails: frozenset[str]) -> frozenset[str]:
    """Return the checks that give nothing if those in ``fails`` fail: these, and all that need one of them."""
    lost = set(fails)
    for check in plan.of(exercise):  # a check comes after those that it needs
        if lost.intersection(check.declaration.needs):
            lost.add(check.name)
    return frozenset(lost)


# ---- the misconception behind failed checks
#
# It can be named if exactly one mistake of the bank fails exactly these checks.
#
#     kept audit ──► the checks that each chaff failed, how, and with which words ─┐
#     an exercise of a record ──► the checks that failed, how, with which words ───┴──► the sentence of its line Says:, or nothing
#
# If the audit has seen nothing like it, the chaffs' own lines ``Fails:`` are used, with more care, since they say less.
#
# It is a guess. It never changes a mark: it is made only for pages, from records as they are.

FEWEST = 2
"""The least number of checks that must have failed if no messages are compared: several mistakes may fail a single check."""
MOST = 0.7
"""The largest share of the checks that may have given nothing, likewise: if hardly anything is right, the causes may be many."""
_MOST_SAID = 300
_NO_ANSWER = frozenset({"not written", "not defined"})


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A mistake of the bank: the checks that fail, those that then give nothing, and the mistake in a student's words.

    ``slips`` says how some of the checks fail: ``nan``, ``shape``, … ``seen`` is what audits saw: for each repeat, the checks
    that failed, each with its slip and the fingerprint of its message.
    """

    fails: frozenset[str]
    lost: frozenset[str]
    says: str
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)
    seen: tuple[Mapping[str, tuple[str, str]], ...] = ()


_NUMBER = re.compile(r"(?<![\w.\[])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)(?![\w\]]|\.\d)")
_SEEN = re.compile(r" \(cell \d.*| at index \[[^\]]*\]|\. (?:It is the right result|Every element is off|All elements are) .*")
_INSTALLED = re.compile(r"\S*[/\\](?:site-packages|dist-packages|lib[/\\]python3\.\d+)[/\\]")


def fingerprint(message: str) -> str:
    """Return a message without what depends on the seed, on where the student wrote what, or on the machine.

    These are numbers, indices, lines, and folders of Python and of packages, which PyTorch's messages may name.
    Shapes and dtypes stay. A pattern in wrong numbers is left out, since the slip tells it.
    """
    return _NUMBER.sub("#", _INSTALLED.sub("", _SEEN.sub("", message)))[:_MOST_SAID]


def known_mistakes(plan: Plan, exercise: str, chaffs: Iterable[Solution], audit: Mapping[str, Any] | None = None) -> list[Known]:
    """Return what the chaffs of an exercise fail and say; given an audit's document, also what the audit saw of them."""
    seen = _seen(audit or {}, exercise)
    return [
        Known(
            chaff.fails, checks_lost(plan, exercise, chaff.fails), chaff.says, chaff.slips, tuple(seen.get(chaff.path.stem, ()))
        )
        for chaff in chaffs
    ]


def _seen(audit: Mapping[str, Any], exercise: str) -> dict[str, list[dict[str, tuple[str, str]]]]:
    """Return, for each chaff in an audit's document, the checks that failed in each repeat; nothing if it has no messages."""
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
    """Return the bank's mistakes for an exercise; none if its files cannot be read, since a page must be made all the same.

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
    """Return the mistakes with what an audit saw of them; without it if there is no audit, or its document has another form."""
    try:
        return known_mistakes(plan, exercise, chaffs, json.loads(audit.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return known_mistakes(plan, exercise, chaffs)


_known_mistakes: dict[Path, tuple[list[tuple[str, int]], tuple[Known, ...]]] = {}


def misconception(checks: Sequence[Check], mistakes: Iterable[Known]) -> str:
    """Return the sentence of the mistake that fits these checks; empty if none fits, or if several fit whose sentences differ.

    A check that is still open may have any outcome. An unwritten stub or a missing name is not a misconception.
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
    """Yield the mistakes whose line ``Fails:`` fits, unless too little, or too much, failed."""
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
    """Return the misconceptions by the name of the exercise that they fit; none if the course does not want guesses."""
    if not course.pages.name_misconceptions:
        return {}
    found = {e.name: misconception(e.checks, read_mistakes(course, assignment, e.name)) for e in exercises if _lost_any(e)}
    return {name: says for name, says in found.items() if says}


def _lost_any(exercise: Exercise) -> bool:
    return any(map(_is_failed, exercise.checks))
