"""The figures of a class, and the geometry of its plots.

entries (a student, a record or none) ──► Summary: counts, mean, median ───────────────┐
└─► CheckFigures, one a check ───────────────────┼──► class_page
marks, races ──► Histogram, Dots: lengths in units of a drawing that is ``WIDTH`` wide ─┘
"""

from __future__ import annotations

import dataclasses
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from torchgrade.record import Check, Outcome, Record, Status, measurement_of
from torchgrade.record.measurements import Race
from torchgrade.report.mark import Mark, Standing, mark_of_checks
from torchgrade.report.presentation import NO_GPU, look_of, number

# ---- figures of the marks and of each check: how many passed it, what the others were told, how well it separates
#
# Mean, median and discrimination use only final marks: an open mark can still rise, and a file that could not be read says
# nothing about a check.

FEWEST = 30
"""With fewer final marks, no discrimination is given: with 30, Fisher's interval for a correlation of 0 is ±0.36."""
MOST_MESSAGES = 3
_NORMAL_95 = 1.96
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", re.IGNORECASE)

_COUNTED_ONCE = ("not written", "not defined")
NOT_GRADED = "not graded"
NOT_READABLE = "not readable"


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One submission of the class, with the record of what the student handed in last.

    ``link`` is the address of the student's feedback page, empty if there is none. ``again``: there is only a record of an
    earlier hand-in, which says nothing about this one. ``guesses``: by exercise, the misconception that it looks like.
    ``in_book`` is the gradebook's mark, if there is one.
    """

    student: str
    record: Record | None
    link: str = ""
    again: bool = False
    guesses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    in_book: Mark | None = None

    @property
    def mark(self) -> Mark | None:
        """The gradebook's mark, or that of the checks; ``None`` if there is no record, or the file could not be read."""
        if self.record is None or not self.record.readable:
            return None
        return self.in_book or mark_of_checks(self.record)

    @property
    def state(self) -> str:
        """One of the words of :class:`Standing`, or ``not graded`` (there is no record), or ``not readable``."""
        mark = self.mark
        if mark is not None:
            return mark.standing.value
        return NOT_GRADED if self.record is None else NOT_READABLE

    @property
    def open_points(self) -> float:
        """How many points are still undecided."""
        return self.mark.open_points + self.mark.waiting if self.mark is not None else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """How many submissions are in each state, and the final marks. ``mean`` and ``median`` are ``None`` if there are none."""

    handed_in: int
    final: int
    provisional: int
    by_hand: int  # a person has yet to give points, or to confirm them
    ungraded: int  # a check is ungraded, or there is no record at all
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
    """One check in all submissions that could be read. ``counts`` has the number of submissions by colour, such as ``partly``."""

    exercise: str
    check: Check
    counts: Mapping[str, int]
    messages: tuple[tuple[str, int], ...]
    discrimination: Discrimination | None
    races: tuple[Race, ...]

    @property
    def decided(self) -> int:
        """The number of submissions in which the check is decided: not open, and not left out for want of a GPU."""
        return sum(self.counts.values()) - self.counts.get("open", 0) - self.counts.get("not looked at", 0)

    @property
    def share(self) -> float | None:
        """The share of the decided submissions that passed."""
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
    """The figures of every check in any record, by exercise, in the records' order."""
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
    """The most frequent messages, with the number of submissions that got each.

    Messages that differ only in their numbers count as one, since inputs are drawn afresh for each submission; the most frequent
    wording represents it. If an exercise could not be asked at all, that is not a message of the check: it is counted as a cause.
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
    thumb ("Essentials of Educational Measurement", 1972). ``None`` for fewer than :data:`FEWEST` submissions, or if the
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
    """Pearson's correlation; ``None`` if one side does not vary."""
    if min(xs) == max(xs) or min(ys) == max(ys):
        return None
    return max(-1.0, min(1.0, statistics.correlation(xs, ys)))


# ---- geometry of the class page's plots, which its templates draw
#
#     marks ──► Histogram: bars of whole points, final marks below and open ones on top, the last bar for full marks alone
#     races ──► Dots: one a submission, stacked where they meet, on a logarithmic axis with the limits
#
# Lengths are in units of the drawing, which is ``WIDTH`` wide.

WIDTH = 720.0
_SIDE = 34.0
HEIGHT = 150.0
_MOST_BARS = 25
_FEW_POINTS = 8
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
DOT = 5.0
DOTS_HEIGHT = 64.0
_LEAST_DECADES = 0.6
_MOST_RATIO = 1e6
_TICKS = (1, 2, 5)
_APART = 46.0  # two labels closer than this would overlap
_LETTER = 7.0  # the letters of a label are narrower on average: 6.6 in Chromium with a broad font
_GAP = 4.0


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """Marks from one number up to the next. ``final_height`` and ``open_height`` are stacked; ``words`` says what it shows."""

    x: float
    width: float
    final_height: float
    open_height: float
    words: str


@dataclasses.dataclass(frozen=True, slots=True)
class Average:
    """The mean or the median: the place of its line, and its label, which ends or starts (``anchor``) at ``label_x``."""

    x: float
    label: str
    label_x: float
    anchor: str


@dataclasses.dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of marks. ``ticks``: place and text; ``levels``: height above the base and text."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    levels: tuple[tuple[float, str], ...]
    mean: Average | None
    median: Average | None
    words: str


@dataclasses.dataclass(frozen=True, slots=True)
class Dots:
    """The ratios of one check. ``marks`` has the path of all dots of each verdict; ``height`` is that of the highest stack."""

    against: str
    height: float
    marks: Mapping[str, Markup]
    limits: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]
    words: str


def histogram(final: Sequence[float], still_open: Sequence[float], max_points: float) -> Histogram:
    """The bars of these marks, each from 0 to ``max_points``."""
    step = _step(max_points)
    count = max(1, math.ceil(max_points / step - 1e-9)) + 1
    below, above = (Counter(_bin(mark, step, max_points, count) for mark in marks) for marks in (final, still_open))
    highest = max((below[i] + above[i] for i in range(count)), default=0) or 1
    room = (WIDTH - 2 * _SIDE) / count
    bars = tuple(
        Bar(
            round(_SIDE + i * room + 1, 1),
            round(room - 2, 1),
            round(below[i] / highest * HEIGHT, 1),
            round(above[i] / highest * HEIGHT, 1),
            _bar_words(i * step, min((i + 1) * step, max_points), below[i], above[i], full=i == count - 1),
        )
        for i in range(count)
    )
    every = max(1, math.ceil(_APART * 0.6 / room))
    ticks = [(round(_SIDE + i * room, 1), number(i * step)) for i in range(0, count - 1, every)]
    full = round(_SIDE + (count - 0.5) * room, 1)
    ticks = [tick for tick in ticks if full - tick[0] > _APART * 0.6] + [(full, number(max_points))]

    def place(mark: float) -> float:
        at_full = mark >= max_points
        return full if at_full else round(_SIDE + mark / step * room, 1)

    mean = median = None
    if final:
        average, middle = statistics.fmean(final), statistics.median(final)
        mean, median = _averages((place(average), f"mean {average:.1f}"), (place(middle), f"median {number(middle)}"))
    return Histogram(
        bars,
        tuple(ticks),
        tuple((round(level / highest * HEIGHT, 1), str(level)) for level in _levels(highest)),
        mean,
        median,
        "; ".join(bar.words for bar in bars if bar.final_height or bar.open_height),
    )


def _averages(mean: tuple[float, str], median: tuple[float, str]) -> tuple[Average, Average]:
    """The labels, on the outer sides of their lines; near an end of the drawing, both move inwards as far as necessary."""
    (left, left_text), (right, right_text) = (mean, median) if mean[0] < median[0] else (median, mean)
    left_room, right_room = (_LETTER * len(text) for text in (left_text, right_text))
    left_end = min(max(left - _GAP, left_room), WIDTH - right_room - 2 * _GAP)
    right_start = min(max(right + _GAP, left_end + 2 * _GAP), WIDTH - right_room)
    lower = Average(left, left_text, round(left_end, 1), "end")
    upper = Average(right, right_text, round(right_start, 1), "start")
    return (lower, upper) if mean[0] < median[0] else (upper, lower)


def _step(max_points: float) -> float:
    if max_points < _FEW_POINTS:  # fractions of a point, but not too small ones
        return next((step for step in reversed(_STEPS) if max_points / step >= _FEW_POINTS), max_points / _FEW_POINTS or 1.0)
    return next((step for step in _STEPS if step >= 1 and max_points / step < _MOST_BARS), max_points / _MOST_BARS)


def _bin(mark: float, step: float, max_points: float, count: int) -> int:
    if mark >= max_points - 1e-9:
        return count - 1
    return min(count - 2, max(0, int(mark / step + 1e-9)))


def _bar_words(low: float, high: float, final: int, still_open: int, *, full: bool) -> str:
    text = f"{number(high)} points" if full else f"{number(low)} to under {number(high)} points"
    return f"{text}: {final}" + (f" and {still_open} still open" if still_open else "")


def _levels(highest: int) -> list[int]:
    step = next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if highest / step <= 4), highest)  # noqa: PLR2004 - lines
    return list(range(step, highest + 1, step))


def race_dots(races: Iterable[Race]) -> list[Dots]:
    """A drawing for each side that was raced against; anything that cannot be read as a ratio is left out."""
    by_side: dict[str, list[tuple[float, str, tuple[float, ...]]]] = {}
    for race in races:
        try:
            side = "baseline" if race["against"] == "baseline" else "reference"
            limits = tuple(_told(limit, side) for limit in _limits(race))
            found = _told(race["ratio"], side), str(race["verdict"]), limits
        except (ArithmeticError, KeyError, TypeError, ValueError):
            continue  # made by another version, or by hand
        by_side.setdefault(side, []).append(found)
    return [_dots(side, found) for side, found in sorted(by_side.items(), reverse=True)]


def _limits(race: Race) -> list[float]:
    curve = race.get("curve")
    return [curve["full"], curve["none"]] if isinstance(curve, Mapping) else [race["most"]]


def _told(value: float, side: str) -> float:
    """A ratio of times as it is told to students: times the reference's time, or times as fast as the baseline."""
    ratio = float(value)
    if not 1 / _MOST_RATIO < ratio < _MOST_RATIO:
        raise ValueError(ratio)
    return 1 / ratio if side == "baseline" else ratio


def _dots(side: str, found: Sequence[tuple[float, str, tuple[float, ...]]]) -> Dots:
    limits = Counter(limits for _, _, limits in found).most_common(1)[0][0]
    ratios = [ratio for ratio, _, _ in found]
    low, high = math.log10(min(*ratios, *limits)), math.log10(max(*ratios, *limits))
    spare = max(0.08 * (high - low), (_LEAST_DECADES - (high - low)) / 2)
    low, high = low - spare, high + spare

    def place(ratio: float) -> float:
        return _SIDE + (WIDTH - 2 * _SIDE) * (math.log10(ratio) - low) / (high - low)

    columns: dict[int, list[str]] = {}
    for ratio, verdict, _ in sorted(found):
        columns.setdefault(round(place(ratio) / DOT), []).append(verdict)
    highest = max(map(len, columns.values()))
    rise = min(DOT, DOTS_HEIGHT / highest)
    marks: dict[str, list[Markup]] = {}
    for column, verdicts in columns.items():
        for level, verdict in enumerate(verdicts):
            kind = verdict if verdict in ("passed", "failed", "partly") else "open"
            marks.setdefault(kind, []).append(Markup("M{} {}h0").format(f"{column * DOT:g}", f"{-DOT / 2 - level * rise:.4g}"))
    words = {"reference": "{} times the reference", "baseline": "{} times as fast as the baseline"}[side]
    median = words.format(f"{statistics.median(ratios):.2g}")
    failed = sum(verdict == "failed" for _, verdict, _ in found)
    told = f"{len(found)} timed; median {median}; limit {' to '.join(number(x) for x in limits)}; {failed} beyond it"
    shown = tuple((round(place(x), 1), number(x)) for x in limits)
    ticks = tuple((round(place(x), 1), f"{x:g}") for x in _ticks(low, high))
    paths = {kind: Markup("").join(path) for kind, path in sorted(marks.items())}
    return Dots(side, round(DOT + highest * rise, 1), paths, shown, _apart(ticks), told)


def _ticks(low: float, high: float) -> Iterator[float]:
    for power in range(math.floor(low), math.ceil(high) + 1):
        for tick in _TICKS:
            if low <= math.log10(tick * 10.0**power) <= high:
                yield tick * 10.0**power


def _apart(ticks: Sequence[tuple[float, str]]) -> tuple[tuple[float, str], ...]:
    """Those of the ticks that are far enough apart to be read."""
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        if not kept or tick[0] - kept[-1][0] >= _APART:
            kept.append(tick)
    return tuple(kept)
