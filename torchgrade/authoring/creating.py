"""``torchgrade new``: what is written for an exercise, and whether it may be."""

from __future__ import annotations

from pathlib import Path

from torchgrade.authoring.cells import (
    assignment_notebook,
    exercise_cells,
    imports_cell,
    imports_what_is_needed,
    refuse_double,
    with_cells,
)
from torchgrade.authoring.names import require_names
from torchgrade.authoring.skeleton import bank, graders, render
from torchgrade.authoring.writing import write_all
from torchgrade.course import Course, CourseError
from torchgrade.notebook import Assignment, assignment_of_course


def new_exercise(course: Course, assignment: str, exercise: str, *, kind: str = "function") -> list[Path]:
    """Write a working skeleton of ``exercise``, in a new assignment or at the end of an existing one; return the files.

    ``kind`` is what students write: a function, or a class.

    Everything is written or, with :class:`CourseError`, nothing: for a name that cannot be used, an exercise or a file that is
    there already, a disk that refuses. :class:`torchgrade.notebook.NotebookError` for an assignment whose notebook is not in
    order.
    """
    new, changed = exercise_files(course, assignment, exercise, kind=kind)
    write_all(new, changed)
    return [*changed, *new]


def exercise_files(
    course: Course, assignment: str, exercise: str, *, kind: str = "function", finished: bool = False
) -> tuple[dict[Path, str], dict[Path, bytes]]:
    """The new files of an exercise and the files that change, with their content; errors as in :func:`new_exercise`.

    ``finished``: for students as it is, without words for its author.
    """
    require_names(assignment, exercise)
    notebook = course.assignments / assignment / f"{assignment}.ipynb"
    new = _graders(course, assignment, exercise, kind=kind, finished=finished) | _bank(course, assignment, exercise, kind)
    changed: dict[Path, bytes] = {}
    if notebook.exists():
        existing = assignment_of_course(course, assignment)
        # Through a link, so that the link stays one.
        changed[existing.path.resolve()] = _longer(existing, exercise, kind)
    else:
        new[notebook] = assignment_notebook(assignment, exercise, kind=kind, finished=finished)
    taken = [path for path in (*new, course.solutions / assignment / exercise) if path.exists() or path.is_symlink()]
    if taken:
        where = taken[0].relative_to(course.root) if taken[0].is_relative_to(course.root) else taken[0]
        raise CourseError(f"{where} exists already: choose another name than {exercise}, or move it away. Nothing was changed.")
    return {path: text for path, text in _packages(course, assignment).items() if not path.exists()} | new, changed


def _longer(assignment: Assignment, exercise: str, kind: str) -> bytes:
    if any(exercise == each.name for each in assignment.exercises):
        raise CourseError(f"{assignment.name} has an exercise {exercise} already: choose another name. Nothing was changed.")
    cells = exercise_cells(assignment.name, exercise, kind=kind)
    if not imports_what_is_needed(assignment.notebook):
        cells.insert(0, imports_cell(assignment.name, exercise, f"{exercise}-imports"))
    refuse_double(assignment.notebook.cells, cells, exercise)
    return with_cells(assignment.source, cells, str(assignment.path))


def _graders(course: Course, assignment: str, exercise: str, *, kind: str, finished: bool) -> dict[Path, str]:
    folder = course.graders / assignment
    files = {folder / f"{name}_{exercise}.py": f"graders/{name}_exercise.py" for name in graders(kind)}
    return {path: render(name, assignment, exercise, kind=kind, finished=finished) for path, name in files.items()}


def _packages(course: Course, assignment: str) -> dict[Path, str]:
    """The ``__init__.py`` files that make the graders importable, of the course and of the assignment, with their content."""
    return {
        course.graders / "__init__.py": render("graders/course.py", assignment, ""),
        course.graders / assignment / "__init__.py": render("graders/assignment.py", assignment, ""),
    }


def _bank(course: Course, assignment: str, exercise: str, kind: str) -> dict[Path, str]:
    folder = course.solutions / assignment / exercise
    return {folder / name: render(f"solutions/{name}", assignment, exercise, kind=kind) for name in bank(kind)}
