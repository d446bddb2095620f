"""What a terminal shows of a class: the table of marks, a line on how it stands, the history of a mark, how far a run is."""

from __future__ import annotations

import dataclasses
import enum
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from torchgrade.record import Check, Exercise, Outcome, Record, Status, what_changed
from torchgrade.report.mark import Mark, Standing, mark_of_checks
from torchgrade.report.presentation import number, share
from torchgrade.report.text import few_of, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID
    from rich.table import Table

# ---- the table of marks that ``torchgrade grade`` ends with: one line a student

PIPED_WIDTH = 120
"""Columns of a piped table's rule. Its rows are as long as their notes: who reads or searches a file wants the whole cause."""
_NOTE, _WHOLE_NOTE = 200, 5_000
_NO_LIMIT = 20_000  # columns
_RULE = {"─", "-", " "}


def class_table(
    records: Sequence[Record],
    not_graded: Collection[str] = (),
    marks: Mapping[str, Mark] = MappingProxyType({}),
    *,
    longest_note: int = _NOTE,
) -> Table:
    """One line a student, by name: points of each exercise, total, status, and as much of a note as the line has room for.

    ``not_graded``: students whose record is of an earlier run, although this one was to grade them. ``marks``: by student, where
    a gradebook may have more than the checks gave; the points of exercises are those of their checks.
    """
    from rich import box  # noqa: PLC0415 - a student's kernel may lack rich
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    records = sorted(records, key=lambda record: record.student)
    worth = {exercise.name: exercise.max_points for record in records for exercise in record.exercises}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    # Text, so that nothing in a name or a message is taken for rich's markup.
    table.add_column("student", overflow="fold", min_width=6, max_width=24)
    for name, points in worth.items():
        table.add_column(Text(f"{one_line(name, 40)}\n/ {number(points)}"), justify="right", overflow="fold")
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("note", min_width=20)
    for record in records:
        exercises = {exercise.name: exercise for exercise in record.exercises}
        cells = [_points(exercises.get(name)) for name in worth]
        mark = marks.get(record.student) if record.readable else None
        mark = mark or mark_of_checks(record)
        total = share(mark.points, mark.max_points)
        status = mark.status if record.readable else "not readable"
        if record.student in not_graded:
            status = "not graded"
        # Shortened to what is left of the line, by itself and not by its column: rich would narrow the other columns for it.
        note = Text("; ".join(filter(None, [mark.note, note_of(record, longest_note)])), no_wrap=True, overflow="ellipsis")
        table.add_row(*map(Text, (one_line(record.student, 80), *cells, total, status)), note)
    return table


def print_class_table(
    records: Sequence[Record],
    console: Console | None = None,
    *,
    not_graded: Collection[str] = (),
    marks: Mapping[str, Mark] = MappingProxyType({}),
) -> None:
    """Print :func:`class_table`, on standard output if no console is given; piped, it is plain text with whole notes."""
    from rich.console import Console  # noqa: PLC0415 - a student's kernel may lack rich

    if console is not None or sys.stdout.isatty():
        console = console or Console(highlight=False)
        console.print(class_table(records, not_graded, marks))
        return
    console = Console(highlight=False, color_system=None, width=_NO_LIMIT)
    with console.capture() as captured:
        console.print(class_table(records, not_graded, marks, longest_note=_WHOLE_NOTE))
    for line in captured.get().splitlines():  # all as long as the longest, the rule too
        sys.stdout.write(f"{line[:PIPED_WIDTH].rstrip() if set(line) <= _RULE else line.rstrip()}\n")


def note_of(record: Record, longest: int = _NOTE) -> str:
    """The first thing to know about a submission in one line: its first problem, or what its first lost check says."""
    lost = [c for c in record.checks if c.outcome in (Outcome.FAILED, Outcome.UNGRADED)]
    if record.problems:
        return one_line(record.problems[0].partition("\n")[0], longest)
    return one_line(f"{lost[0].title}: {lost[0].message}" if lost[0].message else lost[0].title, longest) if lost else ""


def _points(exercise: Exercise | None) -> str:
    if exercise is None:
        return "-"
    open_sign = "?" if any(check.is_open for check in exercise.checks) else ""
    return number(exercise.points) + open_sign


# ---- a class in one line: how many have full marks, how many are open, and the names of those that somebody has to look at

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


# ---- the history of a mark, with what changed it and why: the records of one submission, each against the one before it


def history_text(records: Sequence[Record]) -> str:
    """A paragraph a record, oldest first: when, marks, what had changed since the one before, which checks ended otherwise."""
    parts = []
    for before, record in zip([None, *records], records, strict=False):
        total = share(record.points, record.max_points)
        why = what_changed(dataclasses.asdict(before.digests) if before else None, dataclasses.asdict(record.digests))
        lines = [f"{record.graded_at}  {total:>9}  {record.status.value:11} {why}; seed {record.seed}"]
        lines += [f"    {line}" for line in _differences(before, record)] if before is not None else []
        parts.append("\n".join(lines))
    return "\n".join(parts)


def mark_text(mark: Mark) -> str:
    """The last line of a history: the mark as it stands now, with what a person gave."""
    return f"now: {share(mark.points, mark.max_points)}, {', '.join(filter(None, [mark.status, mark.note]))}"


def _differences(before: Record, record: Record) -> Iterator[str]:
    old, new = _checks(before), _checks(record)
    for key in dict.fromkeys([*old, *new]):
        exercise, was, now = key[0], old.get(key), new.get(key)
        if (was and (was.outcome, was.points)) != (now and (now.outcome, now.points)):
            title = one_line((now or was).title, 80)  # type: ignore[union-attr]  # one of them is there
            yield f"{exercise}: {title}: {_end(was)} → {_end(now)}"


def _checks(record: Record) -> dict[tuple[str, str], Check]:
    return {(exercise.name, check.name): check for exercise in record.exercises for check in exercise.checks}


def _end(check: Check | None) -> str:
    return f"{check.outcome.value} ({number(check.points)} / {number(check.max_points)})" if check else "not there"


# ---- how far a run is: a live display on a terminal, a line now and then elsewhere, or nothing

LINE_SECONDS = 10.0
"""At most one line in this time where there is no terminal."""
_SHOWN = 8
"""Judges that are named."""


@dataclasses.dataclass
class Tally:
    """The results of a run's submissions so far. ``running`` holds when each was begun."""

    total: int
    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    running: dict[str, float] = dataclasses.field(default_factory=dict)
    began: float = dataclasses.field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """How many have ended, one way or another."""
        return self.counts.total()

    def per_minute(self) -> float:
        """Submissions a minute so far."""
        return 60.0 * self.done / max(time.monotonic() - self.began, 1e-9)

    def seconds_left(self) -> float | None:
        """How long the rest takes at this rate; unknown before the first one is done."""
        return 60.0 * (self.total - self.done) / self.per_minute() if self.done else None

    def line(self) -> str:
        """All of it in one line."""
        parts = [f"{self.done} of {self.total} graded"]
        parts += [f"{count} {name}" for name, count in sorted(self.counts.items()) if name != "graded"]
        if self.done:
            parts.append(f"{self.per_minute():.0f} a minute")
        if self.done < self.total and (left := self.seconds_left()) is not None:
            parts.append(f"{_duration(left)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """A listener to a run's events; this base class shows nothing."""

    def begun(self, name: str) -> None:
        """A judge has begun with this submission."""

    def done(self, name: str, record: Record | None) -> None:
        """It has ended; without a record it could not be graded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Tallied(Progress):
    def __init__(self, total: int) -> None:
        self.tally = Tally(total)

    def begun(self, name: str) -> None:
        """Note when."""
        self.tally.running[one_line(name, 80)] = time.monotonic()

    def done(self, name: str, record: Record | None) -> None:
        """Count it."""
        self.tally.running.pop(one_line(name, 80), None)
        if record is None:
            self.tally.counts["could not be graded"] += 1
        else:
            self.tally.counts["graded" if record.status is Status.FINAL else record.status.value] += 1


class Lines(_Tallied):
    """A line on standard error now and then."""

    def __init__(self, total: int, every: float = LINE_SECONDS) -> None:
        super().__init__(total)
        self._every = every
        self._last = time.monotonic()

    def done(self, name: str, record: Record | None) -> None:
        """Count it, and say so if nothing was said for a while."""
        super().done(name, record)
        if time.monotonic() - self._last >= self._every:
            self._say()

    def __exit__(self, *_: object) -> None:
        self._say()

    def _say(self) -> None:
        self._last = time.monotonic()
        print(self.tally.line(), file=sys.stderr, flush=True)  # noqa: T201 - this is its purpose


class Live(_Tallied):
    """A bar with the rate and the time left, and below it what each judge is doing and for how long."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        from rich.console import Console  # noqa: PLC0415 - a student's kernel may lack rich
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
        from rich.progress import Progress as Bars  # noqa: PLC0415

        super().__init__(total)
        columns = BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False)
        self._bars = Bars(*columns, console=console or Console(stderr=True, highlight=False))
        self._all = self._bars.add_task(self.tally.line(), total=total)
        self._judges: dict[str, TaskID] = {}

    def begun(self, name: str) -> None:
        """A line for the judge; of very many judges the first ones have one."""
        super().begun(name)
        if len(self._judges) < _SHOWN:
            self._judges[name] = self._bars.add_task(one_line(name, 80), total=None)

    def done(self, name: str, record: Record | None) -> None:
        """Count it, and take the judge's line away."""
        super().done(name, record)
        if (judge := self._judges.pop(name, None)) is not None:
            self._bars.remove_task(judge)
        self._bars.update(self._all, advance=1, description=self.tally.line())

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


def progress_for(total: int, *, quiet: bool = False) -> Progress:
    """The one that fits where the output goes."""
    if quiet or not total:
        return Progress()
    return Live(total) if sys.stderr.isatty() else Lines(total)
