"""An assignment as the course has it: which exercises its notebook holds, and what each is worth.

Everything that decides about points and about given code is taken from here, never from what a student handed in.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from torchgrade.errors import cannot
from torchgrade.notebook.cells import CHECK, Role, exercise_among_tests, facts_of, grade_id_of, role_of
from torchgrade.notebook.data import makes_of
from torchgrade.notebook.errors import NotebookError, one_line
from torchgrade.notebook.reading import parse_notebook

if TYPE_CHECKING:
    from torchgrade.course import Course

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_EXERCISE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclasses.dataclass(frozen=True)
class ExerciseCells:
    """One solution cell and its grade cell."""

    name: str
    points: float
    stub: str
    """The source of the solution cell as it is handed out."""
    names: tuple[str, ...]
    """The functions and classes that the stub defines, in order."""
    returns: Mapping[str, str] = dataclasses.field(hash=False)
    """The declared return type of each function, as text: ``{"softmax": "Tensor"}``; methods as ``"Linear.forward"``."""
    makes: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    """The type of object that stays in the student's process, by the name that is called to make it: ``{"Linear": "Linear"}``."""


@dataclasses.dataclass(frozen=True)
class Assignment:
    """The course's own notebook of an assignment."""

    name: str
    path: Path
    exercises: tuple[ExerciseCells, ...]
    notebook: NotebookNode = dataclasses.field(repr=False, hash=False)
    source: bytes = dataclasses.field(repr=False)
    """The file as it is, for digests."""
    tests_in_cells: bool = False
    """True if cells outside the exercises may have points too: they hold tests of their own, which nbgrader handles."""

    def exercise(self, name: str) -> ExerciseCells:
        """The exercise ``name``; if there is none, raises a :class:`NotebookError` that lists the existing ones."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        known = ", ".join(exercise.name for exercise in self.exercises)
        raise NotebookError(f"{self.name} has no exercise {one_line(name)!r}; it has: {known}")


def list_assignments(folder: Path) -> list[str]:
    """The names of the assignments in a folder that has one subfolder for each, sorted."""
    if not folder.is_dir():
        return []
    return sorted(p.name for p in folder.iterdir() if _NAME.fullmatch(p.name) and (p / f"{p.name}.ipynb").is_file())


def assignment_of_course(course: Course, name: str) -> Assignment:
    """The assignment ``name`` of a course. Raises :class:`NotebookError` as :func:`load_assignment` does."""
    return load_assignment(course.assignments, name, tests_in_cells=course.kind.tests_in_cells)


def load_assignment(folder: Path, name: str, *, tests_in_cells: bool = False) -> Assignment:
    """The assignment ``name`` among those in ``folder``.

    With ``tests_in_cells``, a grade cell may hold tests of its own, and there may be no exercise at all.

    Raises :class:`NotebookError` if there is no such assignment (listing those that exist), or if its notebook is not consistent:
    no exercise, a grade cell without its solution cell or the other way round, a name that occurs twice, odd points.
    """
    path = folder / name / f"{name}.ipynb"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(list_assignments(folder)) or "none"
        raise NotebookError(f"there is no assignment {one_line(name)!r} in {folder}; there are: {known}")
    with cannot(f"read {path}", NotebookError):
        source = path.read_bytes()
    notebook = parse_notebook(source, str(path), max_bytes=len(source))
    try:
        return Assignment(name, path, _exercises(notebook, tests_in_cells=tests_in_cells), notebook, source, tests_in_cells)
    except NotebookError as error:
        raise NotebookError(f"{path}: {error}") from None


def assignment_of(folder: Path, submission: NotebookNode, *, tests_in_cells: bool = False) -> str | None:
    """The assignment in ``folder`` that has exercises whose solution cells are in ``submission``, if there is one."""
    there = {grade_id_of(cell) for cell in submission.cells}
    for name in list_assignments(folder):
        try:
            exercises = load_assignment(folder, name, tests_in_cells=tests_in_cells).exercises
        except NotebookError:
            continue
        if any(exercise.name in there for exercise in exercises):
            return name
    return None


def _exercises(notebook: NotebookNode, *, tests_in_cells: bool) -> tuple[ExerciseCells, ...]:
    solutions: dict[str, NotebookNode] = {}
    points: dict[str, float] = {}
    checked = {exercise_among_tests(cell) for cell in notebook.cells} if tests_in_cells else set()
    for grade_id, cell in _named_cells(notebook):
        role = role_of(cell)
        if tests_in_cells and not (grade_id in checked if role is Role.SOLUTION else exercise_among_tests(cell)):
            continue
        if role is Role.SOLUTION:
            if cell.cell_type != "code" or not _EXERCISE.fullmatch(grade_id):
                raise NotebookError(f"the solution cell {grade_id!r} must be a code cell whose grade_id is a Python name")
            solutions[grade_id] = cell
        elif role is Role.GRADE:
            exercise = grade_id.removesuffix(CHECK)
            if exercise == grade_id or exercise not in solutions:
                wanted = f"named <exercise>{CHECK} and follow the solution cell <exercise>"
                raise NotebookError(f"the grade cell {grade_id!r} must be {wanted}")
            points[exercise] = _points(cell, grade_id)
    if missing := [name for name in solutions if name not in points]:
        raise NotebookError(f"the exercise {missing[0]!r} has no grade cell {missing[0] + CHECK!r}")
    if not solutions and not tests_in_cells:
        raise NotebookError("there is no exercise in it: no cell is marked as a solution")
    return tuple(_exercise(name, points[name], cell.source) for name, cell in solutions.items())


def _named_cells(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """The cells that have a ``grade_id``. No two have the same one, and every cell with a role has one."""
    seen: set[str] = set()
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id in seen:
            raise NotebookError(f"two cells have the grade_id {grade_id!r}")
        if grade_id is not None:
            seen.add(grade_id)
            yield grade_id, cell
        elif (role := role_of(cell)) is not Role.ORDINARY:
            raise NotebookError(f"a {role.value} cell has no grade_id: {one_line(cell.source, 40)!r}")


def _points(cell: NotebookNode, grade_id: str) -> float:
    points = facts_of(cell).get("points")
    if isinstance(points, bool) or not isinstance(points, int | float) or not math.isfinite(points) or points < 0:
        raise NotebookError(f"the points of the grade cell {grade_id!r} must be a number that is not negative, not {points!r}")
    return float(points)


def _exercise(name: str, points: float, stub: str) -> ExerciseCells:
    try:
        tree = ast.parse(stub)
    except SyntaxError as error:
        raise NotebookError(f"the stub of {name!r} is not Python: {error.msg} in line {error.lineno}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    returns = {node.name: ast.unparse(node.returns) for node in functions if node.returns is not None}
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    returns |= {f"{node.name}.{f.name}": ast.unparse(f.returns) for node, f in _methods(tree) if f.returns is not None}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return ExerciseCells(name, points, stub, tuple(dict.fromkeys(names)), returns, makes_of(classes, returns))


def _methods(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from ((node, each) for each in node.body if isinstance(each, ast.FunctionDef))
