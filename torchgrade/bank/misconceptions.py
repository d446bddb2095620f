"""Names the misconception behind a submission's failed checks, where the bank has just one mistake that fails just these.

    kept audit ──► the checks that each chaff failed, how, and with which words ─┐
    an exercise of a record ──► the checks that failed, how, with which words ───┴──► the sentence of its line Says:, or nothing

Where an audit has not seen the like, the chaffs' own lines ``Fails:`` are asked, more carefully: they say less.

It is a guess. It never changes a mark: it is made for pages alone, from records as they are.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from torchgrade.bank.reading import Solution, checks_lost, read_chaffs
from torchgrade.checks.declared import GraderError
from torchgrade.checks.slips import is_slip
from torchgrade.course import Course
from torchgrade.judge.plan import Plan, read_plan
from torchgrade.record import Check, Exercise, Outcome

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
        if (known := _read.get(chaffs)) is None or known[0] != state:
            plan, found = read_plan(course, assignment), read_chaffs(course, assignment, exercise)
            known = _read[chaffs] = state, tuple(_known(plan, exercise, found, audit))
    except (GraderError, OSError, UnicodeDecodeError):
        return ()
    return known[1]


def _known(plan: Plan, exercise: str, chaffs: Sequence[Solution], audit: Path) -> list[Known]:
    """Return the mistakes with what an audit saw of them; without that where there is none, or another form of document."""
    try:
        return known_mistakes(plan, exercise, chaffs, json.loads(audit.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return known_mistakes(plan, exercise, chaffs)


_read: dict[Path, tuple[list[tuple[str, int]], tuple[Known, ...]]] = {}


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
