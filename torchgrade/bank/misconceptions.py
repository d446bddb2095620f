"""Names the misconception behind a submission's failed checks, where the bank has just one mistake that fails just these.

    chaffs with a line Says: ──► the checks that each fails, and those that are skipped for it ─┐
    an exercise of a record ──► the checks that failed, and those that were skipped ────────────┴──► the sentence, or nothing

It is a guess. It never changes a mark: it is made for pages alone, from records as they are.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from torchgrade.bank.reading import Solution, checks_lost, read_chaffs
from torchgrade.checks.declared import GraderError
from torchgrade.checks.slips import is_slip
from torchgrade.course import Course
from torchgrade.judge.plan import Plan, read_plan
from torchgrade.record import Check, Exercise, Outcome

FEWEST = 2
"""Checks that must have failed. One alone says by its own title what is wrong, and several mistakes may fail it."""
_MOST_SAID = 300
MOST = 0.7
"""The share of the checks that may have given nothing. Where hardly anything is right, any of many mistakes may be the reason."""
_NO_ANSWER = frozenset({"not written", "not defined"})


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A mistake of the bank: the checks that fail, those that then give nothing, and the mistake in a student's words.

    ``slips`` says of some of the checks how they fail: ``nan``, ``shape``, …
    """

    fails: frozenset[str]
    lost: frozenset[str]
    says: str
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)


_NUMBER = re.compile(r"(?<![\w.\[])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)\b(?![\].])")
_SEEN = re.compile(r" \(cell \d.*| at index \[[^\]]*\]|\. (?:It is the right result|Every element is off|All elements are) .*")


def fingerprint(message: str) -> str:
    """Return a message less what depends on the seed, or on where the student wrote what: numbers, indices, lines.

    Shapes and dtypes stay. A pattern in wrong numbers is left out, since the slip has it.
    """
    return _NUMBER.sub("#", _SEEN.sub("", message))[:_MOST_SAID]


def known_mistakes(plan: Plan, exercise: str, chaffs: Iterable[Solution]) -> list[Known]:
    """Return what the chaffs of an exercise fail and say."""
    return [Known(chaff.fails, checks_lost(plan, exercise, chaff.fails), chaff.says, chaff.slips) for chaff in chaffs]


def read_mistakes(course: Course, assignment: str, exercise: str) -> tuple[Known, ...]:
    """Return the bank's mistakes for an exercise; none where its files cannot be read, since a page is made all the same.

    They are read once for a class, and again when a file has changed.
    """
    chaffs = course.solutions / assignment / exercise / "chaffs"
    try:
        files = [file for folder in (chaffs, course.graders / assignment) if folder.is_dir() for file in folder.glob("*.py")]
        state = sorted((str(file), file.stat().st_mtime_ns) for file in files)
        if (known := _read.get(chaffs)) is None or known[0] != state:
            plan, found = read_plan(course, assignment), read_chaffs(course, assignment, exercise)
            known = _read[chaffs] = state, tuple(known_mistakes(plan, exercise, found))
    except (GraderError, OSError, UnicodeDecodeError):
        return ()
    return known[1]


_read: dict[Path, tuple[list[tuple[str, int]], tuple[Known, ...]]] = {}


def misconception(checks: Sequence[Check], mistakes: Iterable[Known]) -> str:
    """Return the sentence of the mistake that fits these checks, or an empty string where none does, or several with other words.

    A check that is still open may have any outcome. A stub that was not written, or a name that is missing, is no misconception.
    """
    failed = {check.name for check in checks if check.outcome is Outcome.FAILED}
    skipped = {check.name for check in checks if check.outcome is Outcome.SKIPPED}
    undecided = {check.name for check in checks if not check.is_decided}
    decided = sum(check.is_decided for check in checks)
    if len(failed) < FEWEST or len(failed | skipped) > MOST * decided or any(check.slip in _NO_ANSWER for check in checks):
        return ""
    fitting = [each for each in mistakes if each.fails - undecided == failed and skipped <= each.lost and _slips(each, checks)]
    said = {each.says for each in fitting}
    return said.pop() if len(said) == 1 else ""


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
    return any(check.outcome is Outcome.FAILED for check in exercise.checks)
