"""Pages about graded work: ``torchgrade feedback``, ``solutions``, ``report``, ``history`` and ``export``.

In a course of checks the marks are in records, apart from the points that a person gave. If tests are in the notebooks' own
cells, the marks are in the gradebook, and records are made from it for these pages.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import click

from torchgrade.bank import Solution, misconceptions, read_bank
from torchgrade.cli.shared import HandedIn, handed_in, shown, teller
from torchgrade.course import Course, CourseError, Submission
from torchgrade.errors import cannot
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook import GradebookError, exporters, feedback
from torchgrade.gradebook.marks import marks_in, marks_of
from torchgrade.gradebook.pages import assignment_title
from torchgrade.gradebook.store import reading_gradebook
from torchgrade.notebook import assignment_of_course
from torchgrade.record import Record, Results, digest
from torchgrade.report.class_figures import Entry
from torchgrade.report.class_page import class_page, pseudonyms
from torchgrade.report.gradescope import gradescope_results
from torchgrade.report.pages import ShownExercise, ShownSolution, solutions_page
from torchgrade.report.terminal import history_text, mark_text
from torchgrade.report.text import one_line
from torchgrade.runs.reuse import read_submission


def write_feedback(course: Course, assignments: Iterable[str], students: tuple[str, ...], *, quiet: bool) -> None:
    """Write the pages of these students, or of all who are graded; problems, if there are any, are printed last."""
    tell = teller(quiet=quiet)
    chosen = handed_in(course, assignments, students, some=False)
    problems = []
    for assignment, theirs in chosen.students.items():
        try:
            pages = feedback(course, assignment, theirs)
        except GradebookError as error:
            problems.append(str(error))
            continue
        for page in pages:
            tell(str(page))
        tell(f"{len(pages)} pages in {course.feedback}")
    if problems:
        raise click.ClickException("\n".join(problems))
    chosen.end()


def _write(path: Path, text: str, *, mode: int = 0o666) -> None:
    with cannot(f"write {path}", CourseError):
        make_folder(path.parent)
        write_whole(path, text, mode=mode)


# ---- right answers, for after the deadline


def write_solutions(course: Course, assignments: Iterable[str], output: Path | None, *, quiet: bool) -> None:
    """Write a page for each assignment, to ``output`` if it is given."""
    for assignment in assignments:
        exercises = [ShownExercise(name, tuple(_shown(course, assignment, name))) for name in _exercises(course, assignment)]
        path = output or course.results / "solutions" / f"{assignment}.html"
        page = solutions_page(assignment_title(course, assignment), exercises)
        _write(path, page)
        teller(quiet=quiet)(str(path))


def _exercises(course: Course, assignment: str) -> list[str]:
    return [exercise.name for exercise in assignment_of_course(course, assignment).exercises]


def _shown(course: Course, assignment: str, exercise: str) -> Iterator[ShownSolution]:
    """The reference, and those wheats that say why they are right."""
    reference, *others = read_bank(course, assignment, exercise)
    for solution in (reference, *(other for other in others if other.is_correct and other.why)):
        yield ShownSolution(solution.title, solution.why, _code(solution))


def _code(solution: Solution) -> str:
    """The text of a solution without its docstring, which is shown separately."""
    docstring = ast.parse(solution.text).body[0]
    return "\n".join(solution.text.split("\n")[docstring.end_lineno :]).strip("\n") + "\n"


# ---- the class


def write_reports(course: Course, assignments: Iterable[str], output: Path | None, *, anonymous: bool, quiet: bool) -> None:
    """Write a page for each assignment, to ``output`` if it is given."""
    chosen = handed_in(course, assignments)
    for assignment, theirs in chosen.students.items():
        name = f"{assignment}-anonymous.html" if anonymous else f"{assignment}.html"
        path = output or course.results / "reports" / name
        _write_report(course, assignment, theirs, path, anonymous=anonymous)
        teller(quiet=quiet)(str(path))
    chosen.end()


def _write_report(course: Course, assignment: str, students: list[str], path: Path, *, anonymous: bool) -> None:
    shown = [
        dataclasses.replace(each, link=_link(course, each.student, assignment, path), guesses=_guesses(course, each.record))
        for each in entries(course, assignment, students)
    ]
    names = pseudonyms(students, course.results / "pseudonyms.json") if anonymous else None
    page = class_page(assignment, shown, names, cells=course.kind.tests_in_cells)
    _write(path, page)


def _guesses(course: Course, record: Record | None) -> dict[str, str]:
    return {} if record is None else misconceptions(course, record.assignment, record.exercises)


def _link(course: Course, student: str, assignment: str, page: Path) -> str:
    """The address of the student's feedback page, as seen from ``page``; empty if it is not written yet."""
    folder = course.feedback / student / assignment
    # In a classic course the notebooks may have other names, and their pages do not link to each other.
    found = next((each for each in (folder / f"{assignment}.html", *sorted(folder.glob("*.html"))) if each.is_file()), None)
    return quote(os.path.relpath(found, page.parent).replace(os.sep, "/")) if found is not None else ""


def entries(course: Course, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
    """Yield each student's record and mark; neither of them if they are only about an earlier hand-in."""
    if course.kind.tests_in_cells:
        from torchgrade.classic import records

        yield from records.entries(course, assignment, students)
        return
    results = Results(course.results)
    found = {student: results.read(student, assignment) for student in students}
    with reading_gradebook(course) as book:
        marks = marks_in(book, assignment, found)
    for student, record in found.items():
        again = record is not None and _is_newer(course, record)
        yield Entry(student, None if again else record, again=again, in_book=marks.get(student))


def _is_newer(course: Course, record: Record) -> bool:
    """Whether the student has handed in something else than what the record is about."""
    file = read_submission(course, Submission(record.assignment, record.student))
    return digest(file.data) != record.digests.notebook


# ---- the gradings of one submission


def print_history(course: Course, assignment: str, student: str, *, as_json: bool) -> None:
    """Print every mark that a submission has had. Raises :class:`CourseError` if it is not there, or was never graded."""
    course.handed_in(assignment, [student])
    results = Results(course.results)
    records, damaged = results.history(student, assignment), results.damaged(student, assignment)
    data: object = [record.to_json() for record in records]
    text = history_text(records)
    if course.kind.tests_in_cells:
        # One of the two may be missing: nbgrader's own command leaves records, but no gradings.
        from torchgrade.classic.gradings import Gradings, gradings_text

        gradings = Gradings(course.results).of(student, assignment)
        parts = [gradings_text(gradings)] if gradings else []
        parts += ["Its exercises with checks:", text] if records else []
        text = "\n".join(parts)
        data = {"gradings": [dataclasses.asdict(each) for each in gradings], "records": data} if parts else []
    if not data and not damaged:
        raise CourseError(f"{student}'s submission of {assignment} was never graded: run torchgrade grade {assignment}")
    if data:
        click.echo(json.dumps(data, indent=1) if as_json else text)
    if not as_json and (mark := marks_of(course, assignment, [student]).get(student)) is not None:
        click.echo(mark_text(mark))
    if damaged:
        files = ", ".join(map(shown, damaged))
        raise CourseError(
            f"{files}: this version cannot read it as a record, so its marks are not in this history. If it is the current one, "
            f"torchgrade grade {assignment} grades the submission again"
        )


# ---- marks for a learning platform
#
# Everybody who handed in is accounted for. A mark is left out, and named, if it is not final or not of what was handed in last.


def export(
    course: Course, platform: str, assignments: Iterable[str], students: tuple[str, ...], output: Path | None, *, quiet: bool
) -> None:
    """Write the marks of these students, or of all, for a learning platform: to the file or folder ``output`` if it is given."""
    chosen = handed_in(course, assignments, students, some=False)
    if platform == "gradescope":
        _export_results(course, output or Path(platform), chosen, quiet=quiet)
    else:
        _export_marks(course, platform, output or Path(f"{platform}.csv"), chosen, quiet=quiet)
    chosen.end()


def _export_marks(course: Course, platform: str, path: Path, handed_in: HandedIn, *, quiet: bool) -> None:
    """Write the marks to ``path`` for one of :data:`exporters.EXPORTERS`; print which ones are left out, and why."""
    known = {
        assignment: {entry.student: _why_not(entry, assignment) for entry in entries(course, assignment, students)}
        for assignment, students in handed_in.students.items()
    }
    for line in exporters.export_marks(course, platform, path, known, handed_in.only, known):
        click.echo(f"Still open, so its cell is empty: {line}", err=True)
    teller(quiet=quiet)(str(path))


def _export_results(course: Course, folder: Path, handed_in: HandedIn, *, quiet: bool) -> None:
    """Write the files below ``folder``. Then, if any were left out, raise a :class:`CourseError` that names them."""
    tell, left_out = teller(quiet=quiet), []
    for assignment, students in handed_in.students.items():
        for entry in entries(course, assignment, students):
            if entry.record is None:
                left_out.append(f"{entry.student}/{assignment} ({_why_not(entry, assignment)})")
                continue
            path = folder / entry.student / assignment / "results.json"
            _write(path, json.dumps(gradescope_results(entry.record, entry.mark), indent=1), mode=MARKS)
            tell(str(path))
    if left_out:
        raise CourseError(f"not written: {', '.join(left_out)}")


def _why_not(entry: Entry, assignment: str) -> str:
    """Why the gradebook's mark, if there is one, is not of what was handed in last; empty if it is."""
    if entry.record is None:
        what = "handed in again since it was graded" if entry.again else "not graded yet"
        return f"{what}: torchgrade grade {assignment}"
    if not entry.record.readable:
        return one_line(": ".join([exporters.NOT_READABLE, *entry.record.problems[:1]]))
    return ""
