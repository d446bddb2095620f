"""A check's own notes while it runs: part marks, measurements, and whose word it rests on."""

from __future__ import annotations

import dataclasses
from contextvars import ContextVar
from typing import Any

from torchgrade.checks.declared import GraderError
from torchgrade.record import Evidence


@dataclasses.dataclass(slots=True)
class Notes:
    """The notes from one run of a check's test function."""

    share: float = 1.0
    message: str = ""
    hint: str = ""
    evidence: Evidence = Evidence.DATA
    tolerance_used: float = 0.0
    ends_process: bool = False
    measurements: dict[str, Any] = dataclasses.field(default_factory=dict)


current_notes: ContextVar[Notes | None] = ContextVar("current_notes", default=None)


def award(share: float, message: str, *, hint: str = "") -> None:
    """Give ``share`` (0 to 1) of the running check's points, and tell the student why it is not all of them, with a hint."""
    if not 0 <= share <= 1:
        raise GraderError(f"award takes a share from 0 to 1, not {share!r}")
    if (notes := current_notes.get()) is not None:
        notes.share, notes.message, notes.hint = float(share), message, hint


def measured(name: str, value: Any) -> None:
    """Keep a number (or a list of numbers) from the running check in the record."""
    if (notes := current_notes.get()) is not None:
        notes.measurements[name] = value


def tolerance_used(share: float) -> None:
    """Note the largest share of its tolerance that this answer used: above 1 it is wrong. It shows how close answers come."""
    if (notes := current_notes.get()) is not None:
        notes.tolerance_used = max(notes.tolerance_used, float(share))


def rests_on_word() -> None:
    """Say that the running check's outcome rests on something that only the student's process could see."""
    if (notes := current_notes.get()) is not None:
        notes.evidence = Evidence.WORD


def ends_its_process() -> None:
    """Say that the running check changes the submission, for instance with a probe that replaces a function.

    The submission's process then ends with the check, so that no later check sees the change. Otherwise, checks that pass share
    one process.
    """
    if (notes := current_notes.get()) is not None:
        notes.ends_process = True
