"""A class in one line: how many have full marks, how many are open, and the names of those that somebody has to look at."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from torchgrade.record import Record
from torchgrade.report.mark import Mark, Standing, mark_of_checks
from torchgrade.report.text import few_of, one_line

_ENOUGH = 1e-9


class State(enum.StrEnum):
    """How one submission stands after a run, in the order and the words of the line."""

    FULL = "with full marks"
    FEWER = "with fewer"
    MANUAL = "waiting for a grade by hand"
    TO_CONFIRM = "to be confirmed in Formgrader"
    PROVISIONAL = "provisional"
    UNGRADED = "ungraded"
    NOT_READABLE = "not readable"
    NOT_GRADED = "not graded"


_CLOSED = (State.FULL, State.FEWER)
_OPEN = {
    Standing.BY_HAND: State.MANUAL,
    Standing.TO_CONFIRM: State.TO_CONFIRM,
    Standing.PROVISIONAL: State.PROVISIONAL,
    Standing.UNGRADED: State.UNGRADED,
}


def state_of(record: Record | None, mark: Mark | None = None) -> State:
    """The state of a submission by its record, if it has one; its mark is that of the checks if it is not given."""
    if record is None:
        return State.NOT_GRADED
    return state_of_mark(mark or mark_of_checks(record)) if record.readable else State.NOT_READABLE


def state_of_mark(mark: Mark) -> State:
    """The state of a submission that has a mark."""
    full = mark.points >= mark.max_points - _ENOUGH
    return _OPEN.get(mark.standing, State.FULL if full else State.FEWER)


def summary_line(assignment: str, states: Mapping[str, State]) -> str:
    """One line about an assignment. ``states``: by student; of those whose marks are not final, the first few are named."""
    students = {state: sorted(name for name, each in states.items() if each is state) for state in State}
    parts = [f"{len(names)} {_told(state, names)}" for state, names in students.items() if names]
    noun = "submission" if len(states) == 1 else "submissions"
    return f"{one_line(assignment, 80)}: {len(states)} {noun}{': ' if parts else ''}{', '.join(parts)}"


def _told(state: State, names: Sequence[str]) -> str:
    if state in _CLOSED:
        return state.value
    return f"{state.value} ({few_of(names, limit=40)})"
