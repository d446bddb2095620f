"""The work of ``torchgrade report``: a page about the class."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from torchgrade.bank import misconceptions
from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.files import make_folder, write_whole
from torchgrade.record import Record
from torchgrade.report.class_page import class_page, pseudonyms


def write_pages(course: Course, assignments: Iterable[str], output: Path | None, *, anonymous: bool, quiet: bool) -> None:
    """Write a page for each assignment, to ``output`` if it is given."""
    chosen = handed_in(course, assignments)
    for assignment, theirs in chosen.students.items():
        name = f"{assignment}-anonymous.html" if anonymous else f"{assignment}.html"
        path = output or course.results / "reports" / name
        _write(course, assignment, theirs, path, anonymous=anonymous)
        teller(quiet=quiet)(str(path))
    chosen.end()


def _write(course: Course, assignment: str, students: list[str], path: Path, *, anonymous: bool) -> None:
    entries = [
        dataclasses.replace(each, link=_link(course, each.student, assignment, path), guesses=_guesses(course, each.record))
        for each in strategy_of(course).entries(assignment, students)
    ]
    names = pseudonyms(students, course.results / "pseudonyms.json") if anonymous else None
    page = class_page(assignment, entries, names, cells=course.kind.tests_in_cells)
    try:
        make_folder(path.parent)
        write_whole(path, page)
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror or error}") from error


def _guesses(course: Course, record: Record | None) -> dict[str, str]:
    return {} if record is None else misconceptions(course, record.assignment, record.exercises)


def _link(course: Course, student: str, assignment: str, page: Path) -> str:
    """The address of the student's feedback page, as seen from ``page``; empty if it is not written yet."""
    folder = course.feedback / student / assignment
    # In a classic course the notebooks may have other names; each page leads to nothing but itself.
    found = next((each for each in (folder / f"{assignment}.html", *sorted(folder.glob("*.html"))) if each.is_file()), None)
    return quote(os.path.relpath(found, page.parent).replace(os.sep, "/")) if found is not None else ""
