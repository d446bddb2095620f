"""A race in words and numbers: what the student reads, and what the record keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchgrade.judge.race.samples import Batch, digits, pooled
from torchgrade.judge.race.verdict import BATCHES_TO_FAIL, Curve, Limit, Verdict
from torchgrade.record.measurements import Race, RaceBatch, RaceConditions


def in_words(verdict: Verdict, batches: Sequence[Batch], curve: Curve | None = None) -> str:
    """The verdict as in ``4.1 times the reference; at most 3 allowed``."""
    text = f"{_times(verdict.ratio, verdict.limit)}; {_asked(verdict, curve)}"
    if verdict.outcome == "failed" and sum(batch.restless for batch in batches) >= BATCHES_TO_FAIL:
        text += (
            ". But your code went on working after its answers, when nothing was asked of it; that slows down what it is held "
            "against, and fails whatever the times are"
        )
    elif verdict.outcome in ("failed", "partly") and any(batch.crowded for batch in batches):
        crowding = max(batch.student.crowding for batch in batches)
        text += (
            f". Your code used {crowding:.1f} s of processor time for each second until its answer: what runs on other threads "
            "or in other processes, or goes on after the answer, counts"
        )
    return text


def _times(ratio: float, limit: Limit) -> str:
    if limit.other == "reference":
        return f"{measure(ratio)} times the reference"
    return f"{measure(1 / ratio)} times as fast as the baseline"


def _asked(verdict: Verdict, curve: Curve | None) -> str:
    if curve is not None:
        share = f"{verdict.share:.0%} of the points; " if verdict.outcome != "ungraded" else ""
        if curve.other == "reference":
            return f"{share}all up to {number(curve.full)}, none from {number(curve.none)}"
        return f"{share}all from {number(1 / curve.full)}, none up to {number(1 / curve.none)}"
    if verdict.limit.other == "reference":
        return f"at most {number(verdict.limit.most)} allowed"
    return f"at least {number(1 / verdict.limit.most)} asked for"


def measure(value: float) -> str:
    """A measured ratio with as many digits as it deserves: ``0.87``, ``4.0``, ``62``."""
    if value < 1:
        return f"{value:.2g}"
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"  # noqa: PLR2004 - two digits


def number(value: float) -> str:
    """A threshold in the form in which the grader wrote it: ``3``, ``1.5``, ``100``."""
    return f"{value:.4g}"


def as_measurements(
    verdict: Verdict, batches: Sequence[Batch], limits: Sequence[Limit], curve: Curve | None, about: RaceConditions
) -> Race:
    """All samples (microseconds a call) and the verdict. At most 8 batches of 4 sides of 21 rounds."""
    return {
        "verdict": verdict.outcome,
        "ratio": _round(verdict.ratio),
        "against": verdict.limit.other,
        "most": _round(verdict.limit.most),
        "share": verdict.share,
        "words": in_words(verdict, batches, curve),
        "limits": {limit.other: _round(limit.most) for limit in limits},
        "curve": None if curve is None else {"against": curve.other, "full": curve.full, "none": curve.none},
        **about,
        "batches": [_batch(batch, limits) for batch in pooled(batches)],
    }


def _batch(batch: Batch, limits: Sequence[Limit]) -> RaceBatch:
    return {
        "says": {limit.other: limit.call(batch).value for limit in limits},
        "ratios": {limit.other: [_round(ratio) for ratio in batch.against(limit.other)] for limit in limits},
        "itself": [_round(ratio) for ratio in batch.itself],
        "crowding": _round(batch.student.crowding),
        "restlessness": _round(batch.restlessness),
        "still running": batch.still_running,
        "wall": {name: digits(samples.wall) for name, samples in batch.sides().items()},
        "processor": {name: digits(samples.processor) for name, samples in batch.sides().items()},
        "after": _round(1e6 * sum(batch.student.after) / max(len(batch.student.after), 1)),
    }


def _round(value: float) -> float:
    return float(f"{value:.4g}") if math.isfinite(value) else 0.0
