"""From batches to a verdict. Pure: no clocks, no processes.

Wall times are compared with the least of all batches so far, processor times with the batch's own median.

    a batch    within   every limit kept, by both ratios           over    some limit broken, by both ratios, or far by one
               unclear  the ratios disagree, or the reference differs from itself

    passed     one batch within           failed   three batches over           ungraded   the budget is spent without either

Two things are the student's doing, however busy the machine is, and count as over. With several threads, wall time is bought with
processor time, so then only processor time is looked at. And a batch is never within if processes go on working after their
answers: they load the machine that the reference runs on.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Sequence

from torchgrade.checks.declared import GraderError
from torchgrade.judge.race.samples import Batch, pooled

BATCHES_TO_FAIL = 3
MOST_BATCHES = 8
AGREE = 1.25
"""Part marks need ratios that are no further apart than this; an unsteady batch is over by this much or decides nothing."""
_FAR = 3.0


class Call(enum.StrEnum):
    """The verdict of one batch."""

    WITHIN = "within"
    OVER = "over"
    UNCLEAR = "unclear"


@dataclasses.dataclass(frozen=True, slots=True)
class Limit:
    """The student may take at most ``most`` times the time of ``other``: ``reference`` or ``baseline``."""

    other: str
    most: float

    def call(self, batch: Batch) -> Call:
        """The verdict of one batch on this limit."""
        ratios = batch.against(self.other)
        low = ratios.processor if batch.crowded else min(ratios)
        if batch.restless:
            return Call.OVER
        if not batch.steady:  # over only if that holds against both halves of the reference, with room to spare
            least = batch.at_the_least(self.other)
            low = least.processor if batch.crowded else min(least)
            return Call.OVER if low > AGREE * self.most else Call.UNCLEAR
        if max(ratios) <= self.most:
            return Call.WITHIN
        # Code that waits shows in wall time alone, work that hides from it in processor time alone; noise is never three-fold.
        return Call.OVER if low > self.most or max(ratios) > _FAR * self.most else Call.UNCLEAR

    def excess(self, batch: Batch) -> float:
        """How many times over the limit a batch is, by either ratio; the batch need not be complete."""
        return min(batch.against(self.other)) / self.most


@dataclasses.dataclass(frozen=True, slots=True)
class Curve:
    """Part marks: all points at ``full`` times the time of ``other`` or less, none at ``none`` or more.

    Between the two, the share falls in a straight line with the logarithm of the ratio, in tenths, rounded up, so that what is
    left of a machine's noise does not move a mark.
    """

    other: str
    full: float
    none: float

    def share(self, ratio: float) -> float:
        """The share of the points for this ratio."""
        if ratio <= self.full:
            return 1.0
        if ratio >= self.none:
            return 0.0
        return min(1.0, math.ceil(10 * math.log(self.none / ratio) / math.log(self.none / self.full) - 1e-9) / 10)


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """How a race ended. ``limit`` is the one that the words are about, ``ratio`` the student's time to that of its ``other``."""

    outcome: str  # "passed", "failed", "partly" or "ungraded"
    limit: Limit
    ratio: float
    share: float = 1.0


def decide(
    batches: Sequence[Batch], limits: Sequence[Limit], curve: Curve | None = None, *, spent: bool = False
) -> Verdict | None:
    """The verdict of the batches so far, or ``None`` if another one is needed.

    If the batches decide nothing, it is ``ungraded`` after :data:`MOST_BATCHES` of them or once the budget is ``spent``.
    """
    spent = spent or len(batches) >= MOST_BATCHES
    batches = pooled(batches)
    last = batches[-1]
    if len(restless := [batch for batch in batches if batch.restless]) >= BATCHES_TO_FAIL:
        return Verdict("failed", limits[0], _lowest(restless, limits[0].other), share=0.0)
    calls = [[limit.call(batch) for limit in limits] for batch in batches]
    if all(call is Call.WITHIN for call in calls[-1]):
        limit = max(limits, key=lambda limit: reported(last, limit.other) / limit.most)
        return Verdict("passed", limit, reported(last, limit.other))
    over = [batch for batch, call in zip(batches, calls, strict=True) if Call.OVER in call]
    if curve is not None:
        return _part_marks(batches, curve, spent=spent)
    if len(over) >= BATCHES_TO_FAIL:
        limit = max(limits, key=lambda limit: _lowest(over, limit.other) / limit.most)
        return Verdict("failed", limit, _lowest(over, limit.other), share=0.0)
    if spent:
        return Verdict("ungraded", limits[0], reported(last, limits[0].other))
    return None


def _part_marks(batches: Sequence[Batch], curve: Curve, *, spent: bool) -> Verdict | None:
    """The best of three clear batches: noise only ever slows a side down, so the lower ratio is the truer one."""
    clear = [batch for batch in batches if batch.steady and not batch.restless and _is_clear(batch, curve)]
    limit = Limit(curve.other, curve.full)
    if len(clear) >= BATCHES_TO_FAIL:
        ratio = min(reported(batch, curve.other) for batch in clear)
        share = curve.share(ratio)
        return Verdict("failed" if share == 0 else "passed" if share == 1 else "partly", limit, ratio, share)
    if spent:
        return Verdict("ungraded", limit, reported(batches[-1], curve.other))
    return None


def _is_clear(batch: Batch, curve: Curve) -> bool:
    ratios = batch.against(curve.other)
    return batch.crowded or max(ratios) <= AGREE * min(ratios) or max(ratios) > _FAR * curve.none


def reported(batch: Batch, other: str) -> float:
    """The ratio that students are told: between the two ratios, so over the limit if both are, and within it if both are.

    It is the ratio of processor time if further threads bought wall time, and the larger one if one is three-fold the other.
    """
    ratios = batch.against(other)
    if batch.crowded:
        return ratios.processor
    return max(ratios) if max(ratios) > _FAR * min(ratios) else math.sqrt(ratios.wall * ratios.processor)


def _lowest(batches: Sequence[Batch], other: str) -> float:
    return min(reported(batch, other) for batch in batches)


def limits_of(
    at_most: float | None, at_least: float | None, full_marks_at: float | None, no_marks_at: float | None, *, baseline: bool
) -> tuple[list[Limit], Curve | None]:
    """The limits, or the curve of part marks, that a grader's arguments ask for. Raises :class:`GraderError` if they conflict."""
    if (full_marks_at is None) != (no_marks_at is None):
        raise GraderError("part marks need both full_marks_at and no_marks_at")
    if at_least is not None and not baseline:
        raise GraderError("at_least needs a baseline: name one")
    given = [value for value in (at_most, at_least, full_marks_at, no_marks_at) if value is not None]
    if not given or not all(math.isfinite(value) and value > 0 for value in given):
        raise GraderError("a race needs at_most, at_least, or full_marks_at and no_marks_at; each a number above 0")
    limits = [Limit("reference", at_most)] if at_most is not None else []
    if at_least is not None:
        limits.append(Limit("baseline", 1 / at_least))
    if full_marks_at is None or no_marks_at is None:
        return limits, None
    if limits:
        raise GraderError("part marks stand alone: leave out at_most and at_least")
    if (full_marks_at > no_marks_at) != baseline or full_marks_at == no_marks_at:
        raise GraderError(
            "full_marks_at is below no_marks_at (times the reference), or above it where there is a baseline (times as fast)"
        )
    curve = Curve("baseline", 1 / full_marks_at, 1 / no_marks_at) if baseline else Curve("reference", full_marks_at, no_marks_at)
    return [Limit(curve.other, curve.full)], curve
