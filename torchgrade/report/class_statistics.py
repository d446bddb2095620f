"""The figures of a class: its marks, and of each check how many passed it, what the others were told, and how well it separates.

    entries (a student, a record or none) ──► Summary: counts, mean, median
                                          └─► CheckFigures, one a check ──► class_page

Mean, median and discrimination look at final marks alone: an open mark can still rise, and a file that nobody could read says
nothing about a check.
"""

from __future__ import annotations

import dataclasses
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from torchgrade.record import Check, Outcome, Record, Status, measurement_of
from torchgrade.record.measurements import Race
from torchgrade.report.mark import Mark, Standing, mark_of_checks
from torchgrade.report.presentation import NO_GPU, look_of

FEWEST = 30
"""Final marks below which no discrimination is given: with 30, Fisher's interval of a correlation of 0 is ±0.36."""
MOST_MESSAGES = 3
_NORMAL_95 = 1.96
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", re.IGNORECASE)

_COUNTED_ONCE = ("not written", "not defined")
NOT_GRADED = "not graded"
NOT_READABLE = "not readable"


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One submission of the class, with the record of what the student handed in last.

    ``link`` is the address of the student's feedback page, empty if there is none. ``again``: there is a record of an earlier
    hand-in alone, which says nothing of this one. ``guesses`` are the misconceptions that exercises look like, by name.
    ``in_book`` is the gradebook's mark, where there is one.
    """

    student: str
    record: Record | None
    link: str = ""
    again: bool = False
    guesses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    in_book: Mark | None = None

    @property
    def mark(self) -> Mark | None:
        """The gradebook's mark, or that of the checks; ``None`` where there is no record, or the file could not be read."""
        if self.record is None or not self.record.readable:
            return None
        return self.in_book or mark_of_checks(self.record)

    @property
    def state(self) -> str:
        """A word of :class:`Standing`, ``not graded`` (there is no record) or ``not readable``."""
        mark = self.mark
        if mark is not None:
            return mark.standing.value
        return NOT_GRADED if self.record is None else NOT_READABLE

    @property
    def open_points(self) -> float:
        """How many points are still to be decided."""
        return self.mark.open_points + self.mark.waiting if self.mark is not None else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """How many submissions are in which state, and the final marks. ``mean`` and ``median`` are ``None`` where there are none."""

    handed_in: int
    final: int
    provisional: int
    by_hand: int  # a person has yet to give points, or to confirm them
    ungraded: int  # a check that is ungraded, or no record at all
    not_readable: int
    max_points: float
    mean: float | None
    median: float | None


class Discrimination(NamedTuple):
    """A correlation and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True)
class CheckFigures:
    """One check in all submissions that could be read. ``counts`` is by the colour of its look, as in ``partly``."""

    exercise: str
    check: Check
    counts: Mapping[str, int]
    messages: tuple[tuple[str, int], ...]
    discrimination: Discrimination | None
    races: tuple[Race, ...]

    @property
    def decided(self) -> int:
        """Submissions in which it was decided: it is not open, and does not wait for a GPU that nobody needs."""
        return sum(self.counts.values()) - self.counts.get("open", 0) - self.counts.get("not looked at", 0)

    @property
    def share(self) -> float | None:
        """The share of them that passed."""
        return self.counts.get("passed", 0) / self.decided if self.decided else None


def summary_of(entries: Sequence[Entry]) -> Summary:
    """Counts and averages of a class."""
    states = Counter(entry.state for entry in entries)
    marks = [mark.points for mark in final_marks(entries)]
    return Summary(
        handed_in=len(entries),
        final=states[Standing.FINAL],
        provisional=states[Standing.PROVISIONAL],
        by_hand=states[Standing.BY_HAND] + states[Standing.TO_CONFIRM],
        ungraded=states[Standing.UNGRADED] + states[NOT_GRADED],
        not_readable=states[NOT_READABLE],
        max_points=max((_most(entry) for entry in entries), default=0.0),
        mean=statistics.fmean(marks) if marks else None,
        median=statistics.median(marks) if marks else None,
    )


def final_marks(entries: Iterable[Entry]) -> list[Mark]:
    """The marks that are final."""
    return [mark for entry in entries if (mark := entry.mark) is not None and mark.standing is Standing.FINAL]


def _most(entry: Entry) -> float:
    if entry.mark is not None:
        return entry.mark.max_points
    return entry.record.max_points if entry.record is not None else 0.0


def figures_of(entries: Sequence[Entry]) -> list[CheckFigures]:
    """The figures of every check that any record has, by exercise, in the records' order."""
    found: dict[str, dict[str, list[tuple[Check, float | None]]]] = {}
    for entry in entries:
        if entry.record is None or not entry.record.readable:
            continue
        total = entry.record.points if entry.record.status is Status.FINAL else None
        for exercise in entry.record.exercises:
            for check in exercise.checks:
                found.setdefault(exercise.name, {}).setdefault(check.name, []).append((check, total))
    return [_figures(exercise, answers) for exercise, checks in found.items() for answers in checks.values()]


def _figures(exercise: str, answers: Sequence[tuple[Check, float | None]]) -> CheckFigures:
    checks = [check for check, _ in answers]
    pairs = [
        (check.points / check.max_points, total - check.points)
        for check, total in answers
        if total is not None and check.max_points > 0
    ]
    races = (measurement_of(check, "race") for check in checks)
    return CheckFigures(
        exercise,
        checks[-1],
        Counter("not looked at" if look_of(check) is NO_GPU else look_of(check).colour for check in checks),
        frequent_messages(checks),
        discrimination(pairs),
        tuple(race for race in races if race is not None),
    )


def frequent_messages(checks: Iterable[Check]) -> tuple[tuple[str, int], ...]:
    """The messages that most submissions got, with how many.

    Messages that differ in their numbers alone count as one, since inputs are drawn afresh for each submission; its most
    frequent wording stands for it. Where there was nothing to ask, that is no message of the check: it is counted as a cause.
    """
    wordings: dict[str, Counter[str]] = {}
    for check in checks:
        told = check.outcome not in (Outcome.PASSED, Outcome.SKIPPED) and check.slip not in _COUNTED_ONCE
        if check.message and told:
            wordings.setdefault(_NUMBER.sub("#", check.message), Counter())[check.message] += 1
    common = sorted(wordings.values(), key=Counter.total, reverse=True)[:MOST_MESSAGES]
    return tuple((wording.most_common(1)[0][0], wording.total()) for wording in common)


def discrimination(pairs: Sequence[tuple[float, float]]) -> Discrimination | None:
    """The corrected item-total correlation of a check. ``pairs``: the share of its points, and the points of all other checks.

        r = Σ (x - x̄)(y - ȳ) / √( Σ (x - x̄)² · Σ (y - ȳ)² ),   y = total - points of the check itself

    With x of 0 and 1 alone it is the point-biserial correlation. Leaving the check out of its own total is Henrysson's
    correction ("Correction of item-total correlations in item analysis", Psychometrika 28, 1963); the interval is Fisher's,
    tanh(artanh r ± 1.96 / √(n - 3)), an approximation here. That 0.3 is usual for a good question is Ebel's rule of
    thumb ("Essentials of Educational Measurement", 1972). ``None`` for fewer than :data:`FEWEST` submissions, or where the
    check or the rest is the same for all.
    """
    if len(pairs) < FEWEST:
        return None
    shares, rests = zip(*pairs, strict=True)
    value = correlation(shares, rests)
    if value is None:
        return None
    if abs(value) >= 1:
        return Discrimination(value, value, value)
    middle, half = math.atanh(value), _NORMAL_95 / math.sqrt(len(pairs) - 3)
    return Discrimination(value, math.tanh(middle - half), math.tanh(middle + half))


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation; ``None`` where one side does not vary."""
    if min(xs) == max(xs) or min(ys) == max(ys):
        return None
    return max(-1.0, min(1.0, statistics.correlation(xs, ys)))
