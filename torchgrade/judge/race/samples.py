"""Measurements of a race, and the two ratios that are computed from them.

A sample is one side's time for a call in one round. The *minimum of wall time* and the *median of processor time* are the
statistics that a busy machine hardly moves (0.97 to 1.04 and 0.86 to 1.11 for identical code beside six busy processes; one shot:
0.06 to 16).
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple, Self

SELF_BOUNDS = (0.8, 1.25)
"""How far the reference's two halves may differ; a batch in which they differ more decides nothing."""
CROWDED = 1.25
"""More processor time than this for each second of wall time cannot come from one thread that rests after its answer."""
RESTLESS = (0.1, 0.25, 3.0)
"""Work after the answers, as a share of the time in which nothing was asked, of the work before them, and of the reference's: if
it is above all three, it is not clearing up (a thousandth of the time, here) but work of its own."""
_LEAST = 1e-9


@dataclasses.dataclass(slots=True)
class Samples:
    """Seconds for a call of one side.

    ``processor`` is the time of the whole tree from one question to the next, so that work that is put off until after the answer
    counts; ``after`` is the part of it after the answer. ``reaped`` is the mean time of processes that had ended before they
    could be read; ``least_before`` is the least wall time in other batches.
    """

    wall: list[float] = dataclasses.field(default_factory=list)
    processor: list[float] = dataclasses.field(default_factory=list)
    after: list[float] = dataclasses.field(default_factory=list)
    rest: list[float] = dataclasses.field(default_factory=list)
    reaped: float = 0.0
    least_before: float = math.inf

    def __add__(self, other: Samples) -> Samples:
        return Samples(
            self.wall + other.wall,
            self.processor + other.processor,
            self.after + other.after,
            self.rest + other.rest,
            max(self.reaped, other.reaped),
            min(self.least_before, other.least_before),
        )

    @property
    def least_wall(self) -> float:
        """The shortest wall time of a call, in this batch and those before it."""
        return max(min(*self.wall, self.least_before), _LEAST)

    @property
    def usual_processor(self) -> float:
        """The median of a call's processor time."""
        return max(statistics.median(self.processor) + self.reaped, _LEAST)

    @property
    def crowding(self) -> float:
        """Processor seconds for each second of wall time until the answer: above 1 only if more than one thread works."""
        each = [processor / max(wall, _LEAST) for wall, processor in zip(self.wall, self.processor, strict=False)]
        return statistics.median(each) + self.reaped / self.least_wall


class Ratios(NamedTuple):
    """The time of one side divided by that of another, by each statistic."""

    wall: float
    processor: float

    @classmethod
    def of(cls, one: Samples, other: Samples) -> Self:
        """The ratios of ``one`` to ``other``."""
        return cls(one.least_wall / other.least_wall, one.usual_processor / other.usual_processor)


@dataclasses.dataclass(slots=True)
class Batch:
    """Rounds that were measured together. The reference runs twice in a round, so that it can be held against itself."""

    student: Samples = dataclasses.field(default_factory=Samples)
    first: Samples = dataclasses.field(default_factory=Samples)
    second: Samples = dataclasses.field(default_factory=Samples)
    baseline: Samples = dataclasses.field(default_factory=Samples)
    transfer: Samples = dataclasses.field(default_factory=Samples)
    """On a GPU: calls that carry the same inputs and a result of the same size, and do nothing."""
    still_running: bool = False
    """True if one of the student's threads was still running some time after the last answer."""

    def against(self, other: str) -> Ratios:
        """The student's time to that of ``reference`` or ``baseline``."""
        return Ratios.of(self.student, self.baseline if other == "baseline" else self.first + self.second)

    @property
    def itself(self) -> Ratios:
        """The reference's time to its own: 1 on a quiet machine."""
        return Ratios.of(self.first, self.second)

    @property
    def steady(self) -> bool:
        """True if the reference agrees with itself: in processor time, and in wall time of this batch or of all so far."""
        wall, processor = self.itself
        own = min(self.first.wall) / max(min(self.second.wall), _LEAST)
        return _near_one(processor) and (_near_one(own) or _near_one(wall))

    def at_the_least(self, other: str) -> Ratios:
        """The student's time to that of ``reference`` or ``baseline``; for the reference, its slower half by each statistic."""
        if other == "baseline":
            return self.against(other)
        halves = [Ratios.of(self.student, half) for half in (self.first, self.second)]
        return Ratios(*map(min, zip(*halves, strict=True)))

    @property
    def crowded(self) -> bool:
        """True if more than one of the student's threads worked, or if one worked on after the answer."""
        return self.student.crowding > CROWDED

    @property
    def restlessness(self) -> float:
        """Processor seconds of the student's for each second in which nothing was asked of it."""
        return sum(self.student.after) / max(sum(self.student.rest), _LEAST)

    @property
    def restless(self) -> bool:
        """True if the student's processes went on working after their answers, beyond clearing up."""
        if self.still_running:
            return True
        share, part, times = RESTLESS
        ours, theirs = _mean(self.student.after), _mean((self.first + self.second).after)
        asked = _mean(self.student.processor) - ours
        return self.restlessness > share and ours > part * asked and ours > times * theirs

    def sides(self) -> dict[str, Samples]:
        """The samples by the names that the record uses."""
        named = {"student": self.student, "reference": self.first, "reference again": self.second, "baseline": self.baseline}
        return {name: samples for name, samples in named.items() if samples.wall}


def _near_one(ratio: float) -> bool:
    return SELF_BOUNDS[0] <= ratio <= SELF_BOUNDS[1]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def pooled(batches: Sequence[Batch]) -> list[Batch]:
    """The same batches, each with the shortest wall times of all of them.

    A wall time is only ever too long, never too short, so the minimum of more samples is nearer to the truth. Beside six busy
    processes, and without priority, the minimum of a single batch is sometimes off by a factor of two; processor time needs no
    such help.
    """
    names = ("student", "first", "second", "baseline")
    least = {name: min((value for b in batches for value in getattr(b, name).wall), default=math.inf) for name in names}
    return [
        dataclasses.replace(
            batch, **{name: dataclasses.replace(getattr(batch, name), least_before=least[name]) for name in names}
        )
        for batch in batches
    ]


def digits(values: Sequence[float]) -> list[float]:
    """Seconds as microseconds with four digits, as the record keeps them."""
    return [float(f"{value * 1e6:.4g}") for value in values]
