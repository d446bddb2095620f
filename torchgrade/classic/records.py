"""The marks of a classic course in the form of records, for the class page: a notebook is an exercise, a grade cell is a check.

gradebook.db: scores ────────────────┐
autograded/<s>/<a>/: what tests said ┼──► Record ──► the class page
results/<s>/<a>.json: checks ────────┘

They are made when somebody looks, and are not kept: the marks are in the gradebook. It does not matter which command graded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_solution

from torchgrade.classic.basis import Bases
from torchgrade.classic.execute import NOT_RUN, TOO_LONG
from torchgrade.classic.gradings import Gradings
from torchgrade.course import Course
from torchgrade.gradebook.cells import exercises_among_tests, own_notebook
from torchgrade.gradebook.marks import CellEntry, cell_entries, marks_in
from torchgrade.gradebook.nbgrader_course import config_of
from torchgrade.gradebook.store import reading_gradebook
from torchgrade.notebook.cells import CHECK, grade_id_of
from torchgrade.record import Check, Digests, Exercise, Outcome, Record, Visibility
from torchgrade.report.class_figures import Entry

BY_HAND, TEST = "by hand", "test"
"""Kinds of grade cells."""
_LONGEST = 300
"""Characters of what a test said that are kept."""
_TOO_LONG = "This cell took longer than the time limit; it was interrupted."


def entries(course: Course, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
    """Yield an entry for each student; it has no marks before any grading, or if they are only of an earlier hand-in.

    Raises :class:`GradebookError` if the gradebook cannot be read.
    """
    config = config_of(course)
    with reading_gradebook(course) as book:
        bases = Bases(course, assignment, book)
        entered, cells_of = bases.entered, cell_entries(book, assignment)
        marks = marks_in(book, assignment, {student: bases.record(student) for student in students})
    gradings = Gradings(course.results)
    checked = {name + CHECK for name in exercises_among_tests(course, assignment)}
    cells = {
        path.stem: [cell for cell in own_notebook(path).cells if grade_id_of(cell) not in checked]
        for path in course.notebooks(assignment)
    }
    hidden = ClearHiddenTests(config=config).begin_test_delimeter
    for student in students:
        last = next(iter(gradings.of(student, assignment)[-1:]), None)
        now = bases.of(student)
        stamps = set(bases.stamps(student).values())
        # If there are copies, nbgrader's own command has graded it since.
        if last is not None and last.problem and last.basis == now and not stamps:
            waiting = _open(cells, last.problem, hidden) + _judged(bases, student) if last.ours else ()
            yield Entry(student, _record(assignment, student, waiting, last.graded_at, "" if last.ours else last.problem))
            continue
        again = last is not None and last.basis.submitted != now.submitted and stamps == {last.basis.stamp}
        if again or not stamps or student not in entered:
            yield Entry(student, None, again=again)
            continue
        theirs: dict[str, dict[str, CellEntry]] = {}
        for (notebook, cell), entry in cells_of.get(student, {}).items():
            theirs.setdefault(notebook, {})[cell] = entry
        found = [
            _exercise(name, own, theirs.get(name, {}), said, hidden)
            for name, own in cells.items()
            for said in [_said(course, assignment, student, name)]
        ]
        exercises = (*(exercise for exercise in found if exercise.checks), *_judged(bases, student))
        record = _record(assignment, student, exercises, last.graded_at if last else "")
        yield Entry(student, record, in_book=marks.get(student))


def _record(assignment: str, student: str, exercises: tuple[Exercise, ...], graded_at: str, problem: str = "") -> Record:
    return Record(
        assignment=assignment,
        student=student,
        exercises=exercises,
        digests=Digests("", "", "", ""),
        seed=0,
        environment={},
        problems=(problem,) if problem else (),
        readable=not problem,
        graded_at=graded_at,
    )


def _judged(bases: Bases, student: str) -> tuple[Exercise, ...]:
    record = bases.record(student)
    return record.exercises if record is not None else ()


def _open(cells: dict[str, list[NotebookNode]], problem: str, hidden: str) -> tuple[Exercise, ...]:
    """The notebooks, by name, of a student whom this machine could not grade: every grade cell is still undecided."""
    found = []
    for name, own in cells.items():
        marks = {grade_id_of(cell) or "": CellEntry(_points(cell)) for cell in own}
        found.append(_exercise(name, own, marks, dict.fromkeys(marks, problem), hidden))
    return tuple(exercise for exercise in found if exercise.checks)


def _exercise(name: str, cells: list[NotebookNode], marks: dict[str, CellEntry], said: dict[str, str], hidden: str) -> Exercise:
    """A notebook's grade cells, in its order; a cell that was not handed in has earned nothing."""
    checks = []
    for cell in cells:
        grade_id = grade_id_of(cell)
        facts = cell.metadata.get("nbgrader", {})
        if grade_id is None or not (facts.get("grade") or facts.get("task")):
            continue
        mark = marks.get(grade_id, CellEntry(_points(cell), auto=0.0))
        by_hand = is_solution(cell) or bool(facts.get("task"))
        checks.append(
            Check(
                name=grade_id,
                title=grade_id,
                visibility=Visibility.HIDDEN if hidden in cell.source else Visibility.PUBLIC,
                outcome=_outcome(mark),
                points=_score(mark) or 0.0,
                max_points=mark.max_points,
                kind=BY_HAND if by_hand else TEST,
                message="It waits for a grade by hand." if mark.waits else said.get(grade_id, ""),
            )
        )
    return Exercise(name, sum(check.max_points for check in checks), tuple(checks))


def _points(cell: NotebookNode) -> float:
    return float(cell.metadata.get("nbgrader", {}).get("points", 0))


def _score(mark: CellEntry) -> float | None:
    """The points of a cell without extra credit, which is not given for an answer."""
    return mark.manual if mark.manual is not None else mark.auto


def _outcome(mark: CellEntry) -> Outcome:
    points = _score(mark)
    if mark.waits or points is None:
        return Outcome.UNGRADED
    full = points >= mark.max_points or math.isclose(points, mark.max_points)
    return Outcome.PASSED if full else Outcome.FAILED


def _said(course: Course, assignment: str, student: str, notebook: str) -> dict[str, str]:
    """By cell: the error that each grade cell of a graded copy ended with."""
    path = course.autograded / student / assignment / f"{notebook}.ipynb"
    if not path.is_file():
        return {}
    found = {}
    for cell in nbformat.read(path, as_version=4).cells:
        errors = [output for output in cell.get("outputs", ()) if output.output_type == "error"]
        if errors and (grade_id := grade_id_of(cell)) is not None:
            found[grade_id] = _in_words([(error.ename, error.evalue) for error in errors])[:_LONGEST]
    return found


def _in_words(errors: Sequence[tuple[str, str]]) -> str:
    """The first error of a cell, as name and text; if the cell was not run, or only in part, the sentence that says why."""
    name, text = errors[0]
    if name in (NOT_RUN, TOO_LONG):
        return text
    # nbgrader's own step leaves this; it does not give the number of seconds.
    return _TOO_LONG if ("CellTimeoutError", "") in errors else f"{name}: {text}".removesuffix(": ")
