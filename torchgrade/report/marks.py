"""The table of marks that ``torchgrade grade`` ends with: one line a student."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchgrade.record import Exercise, Outcome, Record
from torchgrade.report.mark import Mark, mark_of_checks
from torchgrade.report.presentation import number, share
from torchgrade.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

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
