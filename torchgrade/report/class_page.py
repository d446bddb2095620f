"""A class as a page: what is open, the distribution of marks, the figures of each check, and a matrix of students and checks.

    entries ──► class_figures ──┬─► figures ──┐
                                └─► geometry ─┴─► class.html.j2 (with class.css, class.js) ──► one HTML file

The file needs nothing else, and lets nothing else run: its policy allows the one script by its hash. The matrix is a plain table
whose cells are bare ``<td>`` with a one-letter class, so that a page for a thousand students stays light; the script only
reorders and hides rows.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import itertools
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from torchgrade.errors import cannot
from torchgrade.files import MARKS, locked, write_whole
from torchgrade.record import Check, Exercise, Outcome, Record, RecordError
from torchgrade.report.class_figures import (
    FEWEST,
    HEIGHT,
    NOT_GRADED,
    NOT_READABLE,
    WIDTH,
    CheckFigures,
    Entry,
    figures_of,
    final_marks,
    histogram,
    race_dots,
    summary_of,
)
from torchgrade.report.mark import Standing
from torchgrade.report.pages import render
from torchgrade.report.presentation import NOT_RUN, amount, look_of, number
from torchgrade.report.text import clean, one_line

_LETTERS = {"passed": "p", "partly": "h", "failed": "f", "skipped": "s", "open": "o"}
_MOST_FIRST = 30
_MANY = 200  # if there are more rows, only those in view are laid out: see class.css
_ORDER = (Standing.UNGRADED, NOT_GRADED, Standing.TO_CONFIRM, Standing.BY_HAND, Standing.PROVISIONAL, NOT_READABLE)


def class_page(assignment: str, entries: Sequence[Entry], names: Mapping[str, str] | None = None, *, cells: bool = False) -> str:
    """A complete page. ``names`` are pseudonyms, by number: with them, the page contains no student's name and no link.

    ``cells``: the records are of grade cells, with the points that were given by hand; the page's words say so.

    A pseudonym also replaces a name wherever it occurs as a word in a record's text, such as a message.
    """
    shown = _Shown(names)
    entries = sorted(entries, key=lambda entry: shown.rank(entry.student))
    figures = [
        dataclasses.replace(check, messages=tuple((shown.text(text), count) for text, count in check.messages))
        for check in figures_of(entries)
    ]
    final = final_marks(entries)
    waiting = [mark.points for entry in entries if (mark := entry.mark) is not None and mark.standing is not Standing.FINAL]
    summary = summary_of(entries)
    script = Path(__file__).with_name("templates").joinpath("class.js").read_text(encoding="utf-8")
    return render(
        "class.html.j2",
        assignment=assignment,
        anonymous=names is not None,
        cells=cells,
        summary=summary,
        first=[_first(entry, shown) for entry in _open_ones(entries)[:_MOST_FIRST]],
        more=max(0, len(_open_ones(entries)) - _MOST_FIRST),
        marks=histogram([mark.points for mark in final], waiting, summary.max_points),
        width=WIDTH,
        height=HEIGHT,
        exercises=[(name, list(each)) for name, each in itertools.groupby(figures, key=lambda check: check.exercise)],
        columns=len(figures),
        starts=[place for place in range(len(figures)) if not place or figures[place].exercise != figures[place - 1].exercise],
        causes=[_cause(cause, shown) for cause in causes_of(entries)],
        races=[(check, dots) for check in figures for dots in race_dots(check.races)],
        many=len(entries) > _MANY,
        rows=_rows(entries, figures, shown),
        too_few=summary.final < FEWEST,
        fewest=FEWEST,
        graded_at=max((entry.record.graded_at for entry in entries if entry.record), default=""),
        script=Markup(script),  # noqa: S704 - our own file, as it is
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _cause(cause: Cause, shown: _Shown) -> dict[str, object]:
    students = [{"name": shown.name(entry.student), "link": shown.link(entry)} for entry in cause.entries]
    # Python's words for a syntax error may quote the student; the words of a guess are the instructor's.
    text = cause.text if cause.guess else shown.text(cause.text)
    return {"exercise": cause.exercise, "text": text, "guess": cause.guess, "students": students}


class _Shown:
    """How students are named on the page, and in texts that may mention them."""

    def __init__(self, names: Mapping[str, str] | None) -> None:
        self._names = names
        self._ranks = {student: place for place, student in enumerate(names or ())}
        words = "|".join(re.escape(name) for name in sorted(names or (), key=len, reverse=True))
        self._word = re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE) if words else None
        self._folded = {student.casefold(): name for student, name in (names or {}).items()}

    def rank(self, student: str) -> tuple[int, str]:
        """The student's place in the page's order: by name, or by pseudonym, so that the order gives nobody away."""
        return self._ranks.get(student, 0), student

    def name(self, student: str) -> str:
        """The student's name or pseudonym."""
        return self._names[student] if self._names is not None else one_line(student, 80)

    def text(self, text: str) -> str:
        """A text of a record, without names if they are hidden."""
        plain = clean(text)
        if self._word is not None:
            plain = self._word.sub(lambda match: f"[{self._folded.get(match[0].casefold(), 'student')}]", plain)
        return one_line(plain)

    def link(self, entry: Entry) -> str:
        """The address of the student's page, if it may be shown."""
        return "" if self._names is not None else entry.link


@dataclasses.dataclass(frozen=True, slots=True)
class _First:
    """A submission to look at first, and why."""

    name: str
    link: str
    state: str
    mark: str
    why: str


def _open_ones(entries: Iterable[Entry]) -> list[Entry]:
    return sorted((entry for entry in entries if entry.state in _ORDER), key=lambda entry: _ORDER.index(entry.state))


def _first(entry: Entry, shown: _Shown) -> _First:
    mark, so_far = entry.mark, ""
    if mark is not None:
        still = f"{amount(entry.open_points)} open" if entry.open_points else ""
        of = f"{number(mark.points)} of {number(mark.max_points)}"
        so_far = ", ".join(filter(None, [of, mark.note, still]))
    return _First(shown.name(entry.student), shown.link(entry), entry.state, so_far, shown.text(_why(entry)))


def _why(entry: Entry) -> str:
    if entry.record is None:
        return "Handed in again since it was graded." if entry.again else "Handed in, and there is no record of it yet."
    if not entry.record.readable:
        return entry.record.problems[0] if entry.record.problems else "The file could not be read."
    if entry.state == Standing.TO_CONFIRM:
        return "It was graded again after a person had given points: confirm them in Formgrader."
    still = [check for check in entry.record.checks if check.is_open]
    if not still:
        names = [cell.name for cell in entry.mark.cells if cell.points is None] if entry.mark is not None else []
        return f"To be given by hand, in Formgrader: {', '.join(names)}."
    still.sort(key=lambda check: check.outcome is not Outcome.UNGRADED)
    more = f" (and {len(still) - 1} more)" if len(still) > 1 else ""
    return f"{still[0].title}{more}: {still[0].message or look_of(still[0]).label}"


def _rows(entries: Sequence[Entry], figures: Sequence[CheckFigures], shown: _Shown) -> list[dict[str, object]]:
    """A row for each student: ``cells`` has a letter for each check, ``n`` if the record does not have the check."""
    keys = [(check.exercise, check.check.name) for check in figures]
    rows = []
    for entry in entries:
        row: dict[str, object] = {
            "name": shown.name(entry.student),
            "link": shown.link(entry),
            "state": entry.state,
            "mark": "",
            "note": "",
            "cells": [],
        }
        if entry.record is not None and entry.mark is not None:
            checks = {(e.name, check.name): check for e in entry.record.exercises for check in e.checks}
            row["mark"], row["note"] = number(entry.mark.points), entry.mark.note
            row["cells"] = [_LETTERS[look_of(checks[key]).colour] if key in checks else "n" for key in keys]
        rows.append(row)
    return rows


# ---- by cause: who made the same mistake, as far as that is known
#
# A cause is the misconception that the exercise looks like; or else that it was not run, not defined or not written, ran into a
# time limit, or was merely too slow. A submission counts once for an exercise. The most frequent cause comes first.

NO_ANSWER = {
    "not written": "it is as it was handed out",
    "not defined": "its name is not defined: the cell is missing, or gives it another name",
}
"""Slips that mean that there was nothing to ask, with the cause under which they are counted if no cell is to blame."""
TIMED_OUT = "it ran into the time limit: a loop without an end, or far too slow"
USED_UP = "the time for the whole notebook was used up before it was asked"
TOO_SLOW = "it is too slow, and nothing else is wrong"

# What torchgrade.judge.broken_cells writes about a cell: in the message of a check, and in the notebook's problems.
_REASON = re.compile(r"(?P<cell>cell \d+|the locked cell '[^']*') (?:(?P<syntax>has a syntax error)|did not run)")
_SYNTAX = re.compile(r"did not run: syntax error in line \d+: (?P<text>[^\n]*)\.")
_HUNG = re.compile(r"did not end within [\d.]+ s")
_RAISED = re.compile(r"Your code raised (\w+)")
_LINE_OF_ONE = re.compile(r" \(detected at line \d+\)| on line \d+")
"""Parts of Python's words for a syntax error that differ from one notebook to the next."""
_ASKED_IN_VAIN = "did not answer within"
"""The words of a check whose own call hung; the other checks found no time left."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """A cause and the submissions that it explains. ``guess``: it is a misconception of the bank, guessed from failed checks."""

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
    """Return why there was nothing to ask of an exercise, or ``None`` if there was something."""
    checks = [check for check in exercise.checks if check.slip in NO_ANSWER]
    for check in checks:
        if check.message.startswith(NOT_RUN):
            return _why_not_run(record, exercise, check.message)
    return NO_ANSWER[checks[0].slip] if checks else None


def out_of_time(exercise: Exercise) -> str | None:
    """Return which time limit an exercise exceeded: that of a call, that of the notebook, or that of a race."""
    late = [check for check in exercise.checks if check.slip == "timed out"]
    if late:
        # If cells could not be run at all, all checks end with the same words.
        own = any(_ASKED_IN_VAIN in check.message or _HUNG.search(check.message) for check in late)
        return TIMED_OUT if own else USED_UP
    failed = [check for check in exercise.checks if check.outcome is Outcome.FAILED]
    return TOO_SLOW if failed and all(map(_lost_its_race, failed)) else None


def _lost_its_race(check: Check) -> bool:
    """True if the check earned nothing only because of the time: a wrong result in a race has a slip."""
    return check.races and not check.slip and check.points == 0


def _why_not_run(record: Record, exercise: Exercise, message: str) -> str:
    """Return what happened to the cell that a check's message names, if possible in the words of the record's problems."""
    reason = _REASON.search(message)
    if reason is None:
        return "its cell did not run"
    problem = _problem_of(record, exercise, reason)
    whose = f"a cell that it needs ({reason['cell']})" if reason["cell"].startswith("the locked") else "its cell"
    if reason["syntax"] is not None:
        syntax = _SYNTAX.search(problem)
        return f"{whose} has a syntax error" + (f": {_LINE_OF_ONE.sub('', syntax['text'])}" if syntax else "")
    if hung := _HUNG.search(problem):
        return f"{whose} {hung[0]}"
    raised = _RAISED.search(problem)
    return f"{whose} did not run through" + (f": it raised {raised[1]}" if raised else "")


def _problem_of(record: Record, exercise: Exercise, reason: re.Match[str]) -> str:
    """Return the problem about the cell that a check's message names, if any; there, solution cells have names, not numbers."""
    about = [problem for problem in record.problems if " did not run" in problem.partition("\n")[0]]
    names = (f"The solution cell of {exercise.name!r}", f"{reason['cell'][:1].upper()}{reason['cell'][1:]}")
    for name in names:
        for problem in about:
            if problem.startswith(f"{name} "):
                return problem
    return about[0] if len(about) == 1 else ""


# ---- pseudonyms, which say nothing and stay: ``student 07`` in every report of a course, whoever joins later
#
#     students ──► results/pseudonyms.json (who has which number) ──► student: "student 07"
#
# Numbers are drawn at random, not assigned by name or hashed: nobody can work them out from a list of the class. The file is only
# for the instructor.


def pseudonyms(students: Iterable[str], path: Path) -> dict[str, str]:
    """The pseudonym of each student, by number; those without one get the next numbers, in random order. ``path`` keeps them.

    Raises :class:`RecordError` if the file cannot be read or written.
    """
    students = set(students)
    with _alone(path):
        numbers = _read(path)
        if new := sorted(students - set(numbers)):
            random.SystemRandom().shuffle(new)
            numbers |= {student: number for number, student in enumerate(new, start=max(numbers.values(), default=0) + 1)}
            _write(path, numbers)
    known = sorted(numbers.items(), key=lambda item: item[1])
    return {student: f"student {number:02}" for student, number in known if student in students}


def _alone(path: Path) -> contextlib.ExitStack:
    """For the length of the block, keep other reports from reading or writing the list, so that no two draw the same numbers."""
    with contextlib.ExitStack() as stack:
        with cannot(f"lock {path}", RecordError):
            stack.enter_context(locked(path.with_name(f".{path.stem}.lock")))
        return stack.pop_all()


def _read(path: Path) -> dict[str, int]:
    try:
        numbers = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RecordError(
            f"cannot read {path}: {error}. It says who has which pseudonym: restore it, or delete it to draw anew"
        ) from error
    if not isinstance(numbers, dict) or not all(isinstance(number, int) for number in numbers.values()):
        raise RecordError(f"{path} should hold a number for each student and does not: restore it, or delete it to draw anew")
    return numbers


def _write(path: Path, numbers: dict[str, int]) -> None:
    with cannot(f"write {path}", RecordError):
        write_whole(path, json.dumps(numbers, indent=1), mode=MARKS)
