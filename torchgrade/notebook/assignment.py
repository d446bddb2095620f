"""An assignment: the course's own notebook, and which of its cells are exercises."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from torchgrade.notebook.errors import NotebookError
from torchgrade.notebook.reading import parse_notebook, read_bytes

CHECK = "-check"
DEMO = "demo"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclasses.dataclass(frozen=True, slots=True)
class Exercise:
    """A solution cell and its points. ``returns`` maps the stub's functions to their return annotations, as text."""

    name: str
    points: float
    stub: str
    defines: tuple[str, ...]
    returns: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Assignment:
    """The source notebook of an assignment. ``source`` is its bytes."""

    name: str
    path: Path
    source: bytes
    notebook: NotebookNode
    exercises: tuple[Exercise, ...]

    def exercise(self, name: str) -> Exercise:
        """The exercise of this name."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        known = ", ".join(exercise.name for exercise in self.exercises)
        raise NotebookError(f"{self.name} has no exercise {name!r}; there are: {known}")


def nbgrader_of(cell: NotebookNode) -> Mapping[str, Any]:
    """The cell's nbgrader metadata, empty where it has none or nonsense."""
    found = cell.metadata.get("nbgrader", {})
    return found if isinstance(found, Mapping) else {}


def grade_id_of(cell: NotebookNode) -> str | None:
    """The cell's ``grade_id``, if it has one."""
    found = nbgrader_of(cell).get("grade_id")
    return found if isinstance(found, str) and found else None


def is_solution(cell: NotebookNode) -> bool:
    """Whether a student writes into this cell."""
    return bool(nbgrader_of(cell).get("solution")) and grade_id_of(cell) is not None


def is_grade(cell: NotebookNode) -> bool:
    """Whether this cell holds points."""
    return bool(nbgrader_of(cell).get("grade")) and grade_id_of(cell) is not None


def is_locked(cell: NotebookNode) -> bool:
    """Whether this cell is the course's own."""
    return bool(nbgrader_of(cell).get("locked")) and grade_id_of(cell) is not None


def list_assignments(course: Path) -> list[str]:
    """The names of the course's assignments."""
    folder = course / "assignments"
    if not folder.is_dir():
        return []
    return sorted(p.name for p in folder.iterdir() if _NAME.fullmatch(p.name) and (p / f"{p.name}.ipynb").is_file())


def load_assignment(course: Path, name: str) -> Assignment:
    """The assignment ``name`` of the course folder. Raises :class:`NotebookError` where there is none, or it is wrong."""
    path = course / "assignments" / name / f"{name}.ipynb"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(list_assignments(course)) or "none"
        raise NotebookError(f"there is no assignment {name!r} in {course / 'assignments'}; there are: {known}")
    source = read_bytes(path)
    notebook = parse_notebook(source, path.name)
    return Assignment(name, path, source, notebook, _exercises(notebook, path.name))


def _exercises(notebook: NotebookNode, name: str) -> tuple[Exercise, ...]:
    seen: set[str] = set()
    points: dict[str, float] = {}
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id is None:
            continue
        if grade_id in seen:
            raise NotebookError(f"{name}: two cells have the grade_id {grade_id!r}")
        seen.add(grade_id)
        if is_grade(cell) and grade_id.endswith(CHECK):
            points[grade_id.removesuffix(CHECK)] = _points(nbgrader_of(cell).get("points"), grade_id, name)
    exercises = []
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id is None or not is_solution(cell) or is_grade(cell):
            continue
        if grade_id not in points:
            raise NotebookError(f"{name}: the solution cell {grade_id!r} has no grade cell {grade_id + CHECK!r}")
        defines, returns = _signatures(cell.source)
        exercises.append(Exercise(grade_id, points.pop(grade_id), cell.source, defines, returns))
    if points:
        raise NotebookError(f"{name}: the grade cell {next(iter(points)) + CHECK!r} has no solution cell")
    if not exercises:
        raise NotebookError(f"{name} has no exercise: no cell is marked as a solution")
    return tuple(exercises)


def _points(value: Any, grade_id: str, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise NotebookError(f"{name}: the grade cell {grade_id!r} has {value!r} points; expected a number of at least 0")
    return float(value)


def _signatures(stub: str) -> tuple[tuple[str, ...], dict[str, str]]:
    try:
        body = ast.parse(stub).body
    except SyntaxError:
        return (), {}
    named = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    returns = {n.name: ast.unparse(n.returns) for n in named if isinstance(n, ast.FunctionDef) and n.returns is not None}
    return tuple(node.name for node in named), returns


__all__ = [
    "Assignment",
    "Exercise",
    "grade_id_of",
    "is_grade",
    "is_locked",
    "is_solution",
    "list_assignments",
    "load_assignment",
    "nbgrader_of",
]
