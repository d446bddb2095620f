"""The measurements of checks: the form in which the judge writes them under ``measurements``, and pages and the audit read them.

    race, assert_memory, assert_close, … ──► measured(name, value) ──► Check.measurements ──► measurement_of(check, name)

A grader may measure more, under names of its own; those that are listed here have readers. This module holds only types: a
student's kernel imports them, and they cost it nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, overload

from torchgrade.record.model import Check


class RaceConditions(TypedDict, total=False):
    """How a race was run. Times are in microseconds unless stated otherwise; the last four are for races on a GPU."""

    calls_a_sample: int
    clock: str
    core: int | None
    waited: float  # seconds, for the quiet lane
    priority: str
    device: str
    warm_up_calls: int
    steady: bool
    transfer: float


RaceBatch = TypedDict(
    "RaceBatch",
    {
        "says": Mapping[str, str],
        "ratios": Mapping[str, Sequence[float]],
        "itself": Sequence[float],
        "crowding": float,
        "restlessness": float,
        "still running": bool,
        "wall": Mapping[str, Sequence[float]],
        "processor": Mapping[str, Sequence[float]],
        "after": float,
    },
)
"""One batch of rounds: ratios by rival, and by side the microseconds that a call took in every sample.

Sides are ``student``, ``reference``, ``reference again``, ``baseline`` and ``transfer``.
"""


class RaceCurve(TypedDict):
    """Where part marks begin and end, as multiples of the other side's time."""

    against: str
    full: float
    none: float


class Race(RaceConditions):
    """All samples of a race and its verdict: ``race``."""

    verdict: str
    ratio: float
    against: str
    most: float
    share: float
    words: str
    limits: Mapping[str, float]
    curve: RaceCurve | None
    batches: Sequence[RaceBatch]


Memory = TypedDict(
    "Memory",
    {"bytes": int, "at_most": int, "measured by": str, "verdict": str, "reference": NotRequired[int]},
)
"""The bytes of a call at its peak, and how many are allowed: ``memory``. ``reference``: those of the reference's call."""


class Mismatch(TypedDict):
    """Where a result is wrong: ``mismatch``. ``levels`` are rows of digits from 0 (right) to 4 (not finite)."""

    shape: Sequence[int]
    levels: Sequence[str]


class Gradient(TypedDict):
    """The elements of a gradient that are furthest off: ``gradient``. A number that is not finite is text in a record."""

    shape: Sequence[int]
    elements: Sequence[int]
    yours: Sequence[float | str]
    right: Sequence[float | str]


DtypeRow = Sequence[str]
"""A place, the dtype that was found there, and the right one. ``dtypes`` is a list of such rows."""


@overload
def measurement_of(check: Check, name: Literal["race"]) -> Race | None: ...
@overload
def measurement_of(check: Check, name: Literal["memory"]) -> Memory | None: ...
@overload
def measurement_of(check: Check, name: Literal["mismatch"]) -> Mismatch | None: ...
@overload
def measurement_of(check: Check, name: Literal["gradient"]) -> Gradient | None: ...
@overload
def measurement_of(check: Check, name: Literal["dtypes"]) -> Sequence[DtypeRow] | None: ...
@overload
def measurement_of(check: Check, name: Literal["tolerance_used"]) -> float | None: ...
def measurement_of(check: Check, name: str) -> object:
    """Return what a check measured under ``name``, or ``None`` if there is nothing of the form that is listed for that name.

    Only the outermost type is checked: readers must cope with records that another version wrote or that somebody edited.
    """
    found = check.measurements.get(name)
    return found if isinstance(found, _FORMS.get(name, Mapping)) else None


_FORMS: Mapping[str, tuple[type, ...]] = {"dtypes": (list, tuple), "tolerance_used": (float, int)}
