"""The work of ``torchgrade report``: a page about the class."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from torchgrade.cli.by_kind import strategy_of
from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.files import make_folder, write_whole
from torchgrade.report.class_page import class_page
from torchgrade.report.class_statistics import Entry
from torchgrade.report.pseudonyms import pseudonyms


def write_pages(course: Course, assignments: Iterable[str], output: Path | None, *, anonymous: bool, quiet: bool) -> None:
    """Write a page for each assignment, to ``output`` if it is given."""
    students = {each: [one.student for one in handed_in(course, (each,), (), tell=True)] for each in assignments}
    for assignment, theirs in students.items():
        name = f"{assignment}-anonymous.html" if anonymous else f"{assignment}.html"
        path = output or course.results / "reports" / name
        _write(course, assignment, theirs, path, anonymous=anonymous)
        teller(quiet=quiet)(str(path))


def _write(course: Course, assignment: str, students: list[str], path: Path, *, anonymous: bool) -> None:
    from torchgrade.course import CourseError  # noqa: PLC0415
    from torchgrade.files import make_folder, write_whole  # noqa: PLC0415
    from torchgrade.report.class_page import class_page  # noqa: PLC0415
    from torchgrade.report.class_statistics import Entry  # noqa: PLC0415
    from torchgrade.report.pseudonyms import pseudonyms  # noqa: PLC0415

    found = _marks_in_cells(course, assignment, students) if course.is_classic else _records(course, assignment, students)
    entries = [
        Entry(student, record, _link(course, student, assignment, path), again, _guesses(course, record))
        for student, record, again in found
    ]
    names = pseudonyms(students, course.results / "pseudonyms.json") if anonymous else None
    page = class_page(assignment, entries, names, cells=course.kind.tests_in_cells)
    try:
        make_folder(path.parent)
        write_whole(path, page)
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror or error}") from error


def _guesses(course: Course, record: Record | None) -> dict[str, str]:
    from torchgrade.bank import misconceptions  # noqa: PLC0415

    return {} if record is None else misconceptions(course, record.assignment, record.exercises)


def _records(course: Course, assignment: str, students: list[str]) -> Iterator[tuple[str, Record | None, bool]]:
    """Each student's record; none, and true, where it is of an earlier hand-in alone."""
    from torchgrade.record import Results  # noqa: PLC0415

    results = Results(course.results)
    for student in students:
        record = results.read(student, assignment)
        again = record is not None and _is_newer(course, record)
        yield student, None if again else record, again


def _marks_in_cells(course: Course, assignment: str, students: list[str]) -> Iterator[tuple[str, Record | None, bool]]:
    from torchgrade.classic.records import records  # noqa: PLC0415 - nbgrader is slow to load

    return records(course, assignment, students)


def _is_newer(course: Course, record: Record) -> bool:
    """Return whether what the student handed in is not what the record is about."""
    from torchgrade.course import Submission  # noqa: PLC0415
    from torchgrade.record import digest  # noqa: PLC0415
    from torchgrade.runs.reuse import read_submission  # noqa: PLC0415

    file = read_submission(course, Submission(record.assignment, record.student))
    return digest(file.data) != record.digests.notebook


def _link(course: Course, student: str, assignment: str, page: Path) -> str:
    """The address of the student's feedback page, as seen from ``page``; empty if it is not written yet."""
    folder = course.feedback / student / assignment
    # In a classic course the notebooks may have other names; each page leads to nothing but itself.
    found = next((each for each in (folder / f"{assignment}.html", *sorted(folder.glob("*.html"))) if each.is_file()), None)
    return quote(os.path.relpath(found, page.parent).replace(os.sep, "/")) if found is not None else ""
