"""A submission's mark: what its checks gave, and what a person changed. Every table, page and export shows this mark.

record: what checks gave ─────────────────────────────────────────┐
gradebook: points by hand, overrides, extra credit, late penalty ─┴─► gradebook.marks ──► Mark
"""

from __future__ import annotations

import dataclasses
import enum

from torchgrade.record import Record
from torchgrade.report.presentation import amount, number, open_points, status_line


class Standing(enum.StrEnum):
    """How a mark stands: final, or what it waits for; in that case it may change without the student doing anything."""

    FINAL = "final"
    BY_HAND = "by hand"  # points that a person has yet to give
    TO_CONFIRM = "to be confirmed"  # a person gave points, and the submission has been graded again since
    PROVISIONAL = "provisional"
    UNGRADED = "ungraded"


@dataclasses.dataclass(frozen=True, slots=True)
class HandCell:
    """A cell to which a person gave points, or has yet to give them: then ``points`` is ``None``.

    For an exercise that is graded by checks, ``points`` is what the person added to their points, and ``max_points`` is 0.
    """

    name: str
    points: float | None
    max_points: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """The points of one submission, as the gradebook has them: ``late`` is already taken off, and no value is below 0.

    ``open_points`` are those of open checks, ``waiting`` those of cells that a person still has to grade. ``by_hand`` is what a
    person added to the points of checks and tests, ``None`` if nobody did; ``cells`` are the cells that this is about.
    """

    points: float
    max_points: float
    standing: Standing
    open_points: float = 0.0
    waiting: float = 0.0
    by_hand: float | None = None
    late: float = 0.0
    cells: tuple[HandCell, ...] = ()

    @property
    def note(self) -> str:
        """The points that did not come from checks, as in ``by hand: +2``; empty if there are none."""
        parts = [f"by hand: {signed(self.by_hand)}"] if self.by_hand is not None else []
        return ", ".join([*parts, f"late: {signed(-self.late)}"] if self.late else parts)

    @property
    def status(self) -> str:
        """How the mark stands, in two or three words for a table."""
        return f"{amount(self.waiting)} by hand" if self.standing is Standing.BY_HAND else self.standing.value


def signed(points: float) -> str:
    """Points with a sign, as in ``+2``."""
    return ("-" if points < 0 else "+") + number(abs(points))


def mark_of_checks(record: Record) -> Mark:
    """The mark if the gradebook has nothing to add to the record."""
    return Mark(record.points, record.max_points, Standing(record.status), sum(map(open_points, record.exercises)))


def mark_line(record: Record | None, mark: Mark | None) -> str:
    """How a mark stands, in a sentence or two for the student; without a ``mark``, only about the checks.

    ``record`` may be missing if tests in cells give the points: then only a person can have left something open.
    """
    if record is not None and (mark is None or not record.readable):
        return status_line(record)
    if mark is None:
        return ""
    if mark.standing is Standing.FINAL:
        return f"This mark is final ({mark.note})." if mark.note else "This mark is final."
    more = f" {mark.note[0].upper()}{mark.note[1:]}." if mark.note else ""
    if mark.standing is Standing.TO_CONFIRM:
        return f"Not final: it was graded again after a person had given points, and they have yet to confirm those.{more}"
    if mark.standing is Standing.BY_HAND or record is None:
        return f"Not final: {amount(mark.waiting)} {'is' if mark.waiting == 1 else 'are'} still to be given by hand.{more}"
    return f"{status_line(record)}{more}"
