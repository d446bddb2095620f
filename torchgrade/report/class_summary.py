"""A class in one line: how many have full marks, how many are open, and the names of those that somebody has to look at."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from torchgrade.record import Record, Status
from torchgrade.report.text import one_line

_NAMED = 3
_ENOUGH = 1e-9


class State(enum.StrEnum):
    """How one submission stands after a run, in the order and the words of the line."""

    FULL = "with full marks"
    FEWER = "with fewer"
    MANUAL = "waiting for a grade by hand"
    PROVISIONAL = "provisional"
    UNGRADED = "ungraded"
    NOT_READABLE = "not readable"
    NOT_GRADED = "not graded"


_CLOSED = (State.FULL, State.FEWER)


def state_of(record: Record | None, *, by_hand: bool = False) -> State:
    """The state of a submission whose marks are those of its record, if it has one, and ``by_hand`` those of a person as well."""
    if record is None:
        return State.NOT_GRADED
    if not record.readable:
        return State.NOT_READABLE
    if record.status is not Status.FINAL:
        return State.UNGRADED if record.status is Status.UNGRADED else State.PROVISIONAL
    return State.MANUAL if by_hand else closed_state(record.points, record.max_points)


def closed_state(points: float, max_points: float) -> State:
    """The state of a submission whose marks are final."""
    return State.FULL if points >= max_points - _ENOUGH else State.FEWER


def summary_line(assignment: str, states: Mapping[str, State]) -> str:
    """One line about an assignment. ``states``: by student; of those whose marks are not final, the first few are named."""
    students = {state: sorted(name for name, each in states.items() if each is state) for state in State}
    parts = [f"{len(names)} {_told(state, names)}" for state, names in students.items() if names]
    noun = "submission" if len(states) == 1 else "submissions"
    return f"{one_line(assignment, 80)}: {len(states)} {noun}{': ' if parts else ''}{', '.join(parts)}"


def _told(state: State, names: Sequence[str]) -> str:
    if state in _CLOSED:
        return state.value
    shown = [one_line(name, 40) for name in names[:_NAMED]]
    rest = len(names) - len(shown)
    return f"{state.value} ({', '.join(shown)}{f' and {rest} more' if rest else ''})"
