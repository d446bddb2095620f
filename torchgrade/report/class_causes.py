"""A class by cause: who made the same mistake, as far as that is known. One submission counts once for an exercise.

entries ──► the misconception that the exercise looks like; else: not written, or not defined ──► Cause, the most frequent first
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from torchgrade.record import Exercise
from torchgrade.report.class_statistics import Entry

NO_ANSWER = {
    "not written": "it is as it was handed out",
    "not defined": "its name is not defined: the cell is missing, or does not run",
}
"""Slips of submissions in which there was nothing to ask, with the cause that they are counted under."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """A cause and the submissions that it explains. ``guess``: it is a misconception of the bank, told by which checks failed."""

    exercise: str
    text: str
    guess: bool
    entries: tuple[Entry, ...]


def causes_of(entries: Sequence[Entry]) -> list[Cause]:
    """Return the causes in a class, the most frequent first."""
    found: dict[tuple[str, str, bool], list[Entry]] = {}
    for entry in entries:
        if entry.record is None or not entry.record.readable:
            continue
        for exercise in entry.record.exercises:
            if (says := entry.guesses.get(exercise.name)) is not None:
                found.setdefault((exercise.name, says, True), []).append(entry)
            elif (why := no_answer(exercise)) is not None:
                found.setdefault((exercise.name, why, False), []).append(entry)
    causes = [Cause(*key, tuple(each)) for key, each in found.items()]
    return sorted(causes, key=lambda cause: -len(cause.entries))


def no_answer(exercise: Exercise) -> str | None:
    """Return why there was nothing to ask of an exercise, or ``None`` where there was."""
    return next((NO_ANSWER[check.slip] for check in exercise.checks if check.slip in NO_ANSWER), None)
