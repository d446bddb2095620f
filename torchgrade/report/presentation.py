"""How a check looks wherever it is shown: its sign, the words for it, its points, and the sentences around a table."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from torchgrade.record import Check, Exercise, Outcome, Record, Status, Visibility
from torchgrade.report.text import one_line


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """A sign, the label beside it, and the name of its colour in the style sheet."""

    sign: str
    label: str
    colour: str


PASSED = Look("✓", "passed", "passed")
FAILED = Look("✗", "not passed", "failed")
PARTLY = Look("◐", "partly passed", "partly")
NO_GPU = Look("○", "not looked at: needs a GPU", "skipped")
_LOOKS = {
    Outcome.PASSED: PASSED,
    Outcome.FAILED: FAILED,
    Outcome.SKIPPED: Look("–", "skipped", "skipped"),  # noqa: RUF001 - a dash is meant
    Outcome.DEFERRED: Look("○", "open: waits for a GPU", "open"),
    Outcome.UNGRADED: Look("○", "open: to be graded again", "open"),
}


_ONE_CAUSE = ("raised", "not written", "not defined")
"""Slips with which a single cause explains many checks: the same line raised, or the same name is missing."""
_FINAL = "Final."
NOT_RUN = "Not run: "
"""How a check's message begins if a cell did not run; :mod:`torchgrade.judge.broken_cells` writes this, and the words below."""
_DID_NOT_RUN = re.compile(r"(?:The (?:locked cell|solution cell of) '[^']*'|Cell \d+) did not run\b")


def look_of(check: Check) -> Look:
    """How a check looks. Two kinds have a look of their own: those partly passed, and those worth nothing that need a GPU."""
    if check.outcome is Outcome.FAILED and check.points > 0:
        return PARTLY
    if check.outcome is Outcome.DEFERRED and not check.is_open:
        return NO_GPU
    return _LOOKS[check.outcome]


def number(points: float) -> str:
    """Points as text, without needless digits."""
    return f"{round(points, 2):g}"


def share(points: float, max_points: float) -> str:
    """Points and the most points, as in ``1 / 2``."""
    return f"{number(points)} / {number(max_points)}"


def amount(points: float) -> str:
    """Points with their noun, as in ``1 point``."""
    return f"{number(points)} {'point' if points == 1 else 'points'}"


def points_of(check: Check) -> str:
    """The points of a check; those of an open one are not known yet."""
    return f"? / {number(check.max_points)}" if check.is_open else share(check.points, check.max_points)


def open_points(exercise: Exercise) -> float:
    """How many points of the exercise are still undecided."""
    return sum(check.max_points - check.points for check in exercise.checks if check.is_open)


@dataclasses.dataclass(frozen=True, slots=True)
class Lost:
    """Failed checks of an exercise that cost points: one, or several that failed at the same line or because a name is missing.

    The public ones come first: students can run them, and what they say explains the hidden ones.
    """

    exercise: str
    checks: tuple[Check, ...]

    @property
    def points(self) -> float:
        """The points that they cost together."""
        return sum(check.max_points - check.points for check in self.checks)

    @property
    def is_public(self) -> bool:
        """True if students have one of the checks."""
        return _is_public(self.checks[0])

    @property
    def is_stopped(self) -> bool:
        """True if the checks failed because a cell did not run."""
        return any(check.message.startswith(NOT_RUN) for check in self.checks)


def lost_points(record: Record) -> list[Lost]:
    """Return the failed checks that cost points, by exercise: first those whose cell did not run, then the most expensive.

    Within an exercise the public ones come first, and then the most expensive; those with the same price stay in their order. A
    check that was skipped because it needs one of these is not a mistake of its own: see :func:`points_skipped`.
    """
    groups: dict[tuple[str, str, str], list[Check]] = {}
    for exercise in record.exercises:
        for check in exercise.checks:
            if check.outcome is Outcome.FAILED and check.points < check.max_points:
                one_cause = check.slip in _ONE_CAUSE and (check.place or check.slip != "raised")
                key = (exercise.name, check.slip, check.place) if one_cause else (exercise.name, "", check.name)
                groups.setdefault(key, []).append(check)
    found = [Lost(key[0], tuple(sorted(checks, key=_is_public, reverse=True))) for key, checks in groups.items()]
    of_exercise = {
        name: [lost for lost in found if lost.exercise == name] for name in dict.fromkeys(lost.exercise for lost in found)
    }
    in_order = sorted(of_exercise.values(), key=lambda losses: (not any(each.is_stopped for each in losses), -_price(losses)))
    return [each for losses in in_order for each in sorted(losses, key=lambda lost: (not lost.is_public, -lost.points))]


def _price(losses: list[Lost]) -> float:
    return sum(lost.points for lost in losses)


def _is_public(check: Check) -> bool:
    return check.visibility is Visibility.PUBLIC


def cells_not_run(record: Record) -> list[str]:
    """Return the problems about cells that raised, hung or have a syntax error: they are the first thing to know."""
    return [problem for problem in record.problems if _did_not_run(record, problem)]


def notes(record: Record) -> list[str]:
    """Return the other problems: notes on the notebook, or why it could not be read."""
    return [problem for problem in record.problems if not _did_not_run(record, problem)]


def _did_not_run(record: Record, problem: str) -> bool:
    return record.readable and bool(_DID_NOT_RUN.match(problem))


def points_skipped(record: Record) -> float:
    """Return the points of the checks that were skipped because they need one that failed."""
    return sum(check.max_points for check in record.checks if check.outcome is Outcome.SKIPPED)


def sum_of(exercise: Exercise, *, public_only: bool) -> str:
    """The sum above a table. ``public_only``: say that these are the public checks, lest full points be taken for a full mark."""
    text = f"{share(exercise.points, exercise.max_points)} points"
    if public_only:
        text += " in the public checks"
    if still := open_points(exercise):
        text += f", {number(still)} still open"
    return text


def hidden_line(hidden: Mapping[str, int]) -> str:
    """One sentence for the student: how many hidden checks there are of each kind."""
    kinds = {one_line(str(kind), 40): int(count) for kind, count in hidden.items() if int(count) > 0}
    total = sum(kinds.values())
    if not total:
        return "There are no hidden checks."
    listed = ", ".join(f"{count} of {kind}" for kind, count in kinds.items())
    return f"After you submit, {total} hidden {'check follows' if total == 1 else 'checks follow'}: {listed}."


def status_line(record: Record) -> str:
    """The status in words, with what it means for the mark."""
    if not record.readable:
        return "Not graded: the file could not be read as a notebook of this assignment."
    points_open = sum(map(open_points, record.exercises))
    still = amount(points_open)
    if record.partial:
        told = "This is a part, not a mark: the checks that were asked for, and those that they need."
        return f"{told} {still} still open." if points_open else told
    if record.status is Status.PROVISIONAL:
        return f"Provisional, {still} still open: some checks need a GPU and wait for one. The mark can only rise."
    if record.status is Status.UNGRADED:
        return (
            f"Not final, {still} still open: some checks could not be decided. That is no fault of the "
            "submission; they are run again, and the mark can only rise."
        )
    return _FINAL
