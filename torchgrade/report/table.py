"""The table of one exercise's checks: as HTML for a notebook's output, and as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchgrade.record import Check, Exercise, Outcome, Record
from torchgrade.report.presentation import hidden_line, look_of, points_of, share, status_line, sum_of
from torchgrade.report.rendering import render
from torchgrade.report.text import clean, one_line


def exercise_html(exercise: Exercise, *, hidden: Mapping[str, int] | None = None) -> str:
    """A self-contained HTML fragment: no scripts, nothing from elsewhere, in the colours of the page that it stands in.

    ``hidden`` says that these are the public checks alone, and how many hidden ones of each kind follow.
    ``Check.detail`` is for instructors and never shown.
    """
    return render("exercise.html.j2", exercise=exercise, hidden=hidden)


def exercise_text(exercise: Exercise, *, hidden: Mapping[str, int] | None = None, causes: bool = False) -> str:
    """The same as plain text, without colour. With ``causes``, for the instructor: why a check could not be run."""
    lines = [f"{one_line(exercise.name)}: {sum_of(exercise, public_only=hidden is not None)}"]
    width = max((len(points_of(check)) for check in exercise.checks), default=0)
    for check in exercise.checks:
        lines += _lines(check, width, "" if hidden is not None else f" ({check.visibility.value})")
        if causes and check.outcome is Outcome.UNGRADED and check.cause:
            lines.append(f"{' ' * (width + 4)}Cause: {one_line(check.cause, 1000)}")
    if hidden is not None:
        lines.append(hidden_line(hidden))
    return "\n".join(lines)


def _lines(check: Check, width: int, mark: str) -> Iterator[str]:
    yield f"{look_of(check).sign} {points_of(check):>{width}}  {one_line(check.title)}{mark}"
    margin = " " * (width + 4)
    if check.message:
        yield from (margin + line for line in clean(check.message).splitlines())
    if check.hint and check.outcome is not Outcome.PASSED:
        first, *more = clean(check.hint).splitlines()
        yield f"{margin}Hint: {first}"
        yield from (f"{margin}      {line}" for line in more)


def _note(problem: str) -> Iterator[str]:
    """Yield a note's lines: the first is a sentence, and the line of a cell may follow, with a caret below it."""
    first, *rest = clean(problem).split("\n")
    yield f"Note: {one_line(first, 1000)}"
    yield from rest


def record_text(record: Record) -> str:
    """A whole record as plain text, for the instructor: notes, the checks of each exercise, the sum and the status."""
    head = [f"{one_line(record.assignment)}: {one_line(record.student)}"]
    notes = [line for problem in record.problems for line in _note(problem)]
    tables = [exercise_text(exercise, causes=True) for exercise in record.exercises] if record.readable else []
    head_of_sum = "Of these checks" if record.partial else "Total"
    total = f"{head_of_sum}: {share(record.points, record.max_points)} points. {status_line(record)}"
    return "\n\n".join(["\n".join(head + notes), *tables, total])
