"""A class as a page: what is open, the distribution of marks, the figures of each check, and a matrix of students and checks.

    entries ──► class_statistics ──► figures ─┐
            └─► class_plots ──► geometry ─────┴─► class.html.j2 (with class.css, class.js) ──► one HTML file

The file needs nothing else, and lets nothing else run: its policy allows the one script by its hash. The matrix is a plain table,
a cell a bare ``<td>`` with a letter for a class, so that a thousand students stay light; the script only reorders and hides rows.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from torchgrade.record import Outcome
from torchgrade.report.class_causes import Cause, causes_of
from torchgrade.report.class_plots import HEIGHT, WIDTH, histogram, race_dots
from torchgrade.report.class_statistics import (
    FEWEST,
    NOT_GRADED,
    NOT_READABLE,
    CheckFigures,
    Entry,
    figures_of,
    final_marks,
    summary_of,
)
from torchgrade.report.mark import Standing
from torchgrade.report.presentation import amount, look_of, number
from torchgrade.report.rendering import render
from torchgrade.report.text import clean, one_line

_LETTERS = {"passed": "p", "partly": "h", "failed": "f", "skipped": "s", "open": "o"}
_MOST_FIRST = 30
_MANY = 200  # rows; more of them are laid out only where they are in view: see class.css
_ORDER = (Standing.UNGRADED, NOT_GRADED, Standing.TO_CONFIRM, Standing.BY_HAND, Standing.PROVISIONAL, NOT_READABLE)


def class_page(assignment: str, entries: Sequence[Entry], names: Mapping[str, str] | None = None, *, cells: bool = False) -> str:
    """A complete page. ``names`` are pseudonyms, by number: with them, no student's name and no link is in the page.

    ``cells``: the records are of grade cells, with the points that were given by hand; the page's words say so.

    A pseudonym also stands wherever a name occurs as a word in a text of a record, such as a message.
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
    # Python's words for a syntax error may quote the student; those of a guess are the instructor's.
    text = cause.text if cause.guess else shown.text(cause.text)
    return {"exercise": cause.exercise, "text": text, "guess": cause.guess, "students": students}


class _Shown:
    """How students are called on the page, and texts in which one may be named."""

    def __init__(self, names: Mapping[str, str] | None) -> None:
        self._names = names
        self._ranks = {student: place for place, student in enumerate(names or ())}
        words = "|".join(re.escape(name) for name in sorted(names or (), key=len, reverse=True))
        self._word = re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE) if words else None
        self._folded = {student.casefold(): name for student, name in (names or {}).items()}

    def rank(self, student: str) -> tuple[int, str]:
        """The place in the page's order: by name, or by pseudonym, so that the order gives nobody away."""
        return self._ranks.get(student, 0), student

    def name(self, student: str) -> str:
        """The student's name or pseudonym."""
        return self._names[student] if self._names is not None else one_line(student, 80)

    def text(self, text: str) -> str:
        """A line of a record, without names if they are hidden."""
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
    """A row a student: ``cells`` has a letter for each check, ``n`` where the record does not have it."""
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
