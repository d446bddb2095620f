"""A class by cause: who made the same mistake, as far as that is known. One submission counts once for an exercise.

the misconception that the exercise looks like ─┐
else: not run, not defined, or not written      │
else: ran into a time limit                     ├──► Cause, the most frequent first
else: too slow, and nothing else                ┘
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from torchgrade.record import Check, Exercise, Outcome, Record
from torchgrade.report.class_statistics import Entry
from torchgrade.report.presentation import NOT_RUN

NO_ANSWER = {
    "not written": "it is as it was handed out",
    "not defined": "its name is not defined: the cell is missing, or gives it another name",
}
"""Slips of submissions in which there was nothing to ask, with the cause that they are counted under if no cell is to blame."""
TIMED_OUT = "it ran into the time limit: a loop without an end, or far too slow"
USED_UP = "the time for the whole notebook was used up before it was asked"
TOO_SLOW = "it is too slow, and nothing else is wrong"

# As torchgrade.judge.broken_cells writes them: what a check says of a cell, and what the notebook's problems say of it.
_REASON = re.compile(r"(?P<cell>cell \d+|the locked cell '[^']*') (?:has a syntax error in line (?P<line>\d+|None)|did not run)")
_SYNTAX = re.compile(r"did not run: syntax error in line \d+: (?P<text>[^\n]*)\.")
_HUNG = re.compile(r"did not end within [\d.]+ s")
_RAISED = re.compile(r"Your code raised (\w+)")
_LINE_OF_ONE = re.compile(r" \(detected at line \d+\)| on line \d+")
"""Parts of Python's words for a syntax error that differ from one notebook to the next."""
_ASKED_IN_VAIN = "did not answer within"
"""The words of a check whose own call hung; the others found no time left."""


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
            elif (why := no_answer(entry.record, exercise) or out_of_time(exercise)) is not None:
                found.setdefault((exercise.name, why, False), []).append(entry)
    causes = [Cause(*key, tuple(each)) for key, each in found.items()]
    return sorted(causes, key=lambda cause: -len(cause.entries))


def no_answer(record: Record, exercise: Exercise) -> str | None:
    """Return why there was nothing to ask of an exercise, or ``None`` where there was."""
    checks = [check for check in exercise.checks if check.slip in NO_ANSWER]
    for check in checks:
        if check.message.startswith(NOT_RUN):
            return _why_not_run(record, exercise, check.message)
    return NO_ANSWER[checks[0].slip] if checks else None


def out_of_time(exercise: Exercise) -> str | None:
    """Return which time an exercise ran out of: that of a call, that of the notebook, or that of a race which it lost."""
    late = [check for check in exercise.checks if check.slip == "timed out"]
    if late:
        # Cells that could not be run at all end all checks with the same words.
        own = any(_ASKED_IN_VAIN in check.message or _HUNG.search(check.message) for check in late)
        return TIMED_OUT if own else USED_UP
    failed = [check for check in exercise.checks if check.outcome is Outcome.FAILED]
    return TOO_SLOW if failed and all(map(_lost_its_race, failed)) else None


def _lost_its_race(check: Check) -> bool:
    """True if it earned nothing for its time alone: a wrong result in a race has a slip."""
    return check.races and not check.slip and check.points == 0


def _why_not_run(record: Record, exercise: Exercise, message: str) -> str:
    """Return what happened to the cell that a check's message names, in the words of the record's problems if it has any."""
    reason = _REASON.search(message)
    if reason is None:
        return "its cell did not run"
    problem = _problem_of(record, exercise, reason)
    whose = f"a cell that it needs ({reason['cell']})" if reason["cell"].startswith("the locked") else "its cell"
    if reason["line"] is not None:
        syntax = _SYNTAX.search(problem)
        return f"{whose} has a syntax error" + (f": {_LINE_OF_ONE.sub('', syntax['text'])}" if syntax else "")
    if hung := _HUNG.search(problem):
        return f"{whose} {hung[0]}"
    raised = _RAISED.search(problem)
    return f"{whose} did not run through" + (f": it raised {raised[1]}" if raised else "")


def _problem_of(record: Record, exercise: Exercise, reason: re.Match[str]) -> str:
    """Return the problem about the cell of a check's message, or nothing: a solution cell has its name there, and no number."""
    about = [problem for problem in record.problems if " did not run" in problem.partition("\n")[0]]
    names = (f"The solution cell of {exercise.name!r}", f"{reason['cell'][:1].upper()}{reason['cell'][1:]}")
    for name in names:
        for problem in about:
            if problem.startswith(f"{name} "):
                return problem
    return about[0] if len(about) == 1 else ""
