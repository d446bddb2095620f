"""Which tests in an assignment's own cells could become checks, and what stands in the way of the others.

    notebooks ──► solution cells: what they define ──┐
            └───► test cells: what they use ─────────┴──► a line each

Read from the text alone; nothing is run.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from torchgrade.course import Course
from torchgrade.notebook import read_notebook
from torchgrade.notebook.cells import Role, exercise_among_tests, facts_of, grade_id_of, role_of
from torchgrade.notebook.magics import Translator, parse


@dataclasses.dataclass(frozen=True, slots=True)
class TestCell:
    """A test cell: the notebook and cell that it is, its points, and what of the solutions it calls.

    ``obstacle`` says why it could not become a check as it is; empty if it could.
    """

    notebook: str
    name: str
    points: float
    tests: tuple[str, ...] = ()
    obstacle: str = ""


def find_tests(course: Course, assignment: str) -> list[TestCell]:
    """The test cells of an assignment's notebooks, in order; those that call torchgrade's ``check`` are none.

    Raises :class:`torchgrade.course.CourseError` where there is no such assignment, and ``NotebookError`` for a notebook that
    cannot be read.
    """
    return [cell for path in course.notebooks(assignment) for cell in _of_notebook(path)]


def _of_notebook(path: Path) -> Iterator[TestCell]:
    cells = [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]
    solutions = [tree for cell in cells if facts_of(cell).get("solution") is True and (tree := _tree(cell)) is not None]
    functions = {node.name for tree in solutions for node in tree.body if isinstance(node, _DEFINITIONS)}
    variables = {name for tree in solutions for node in tree.body for name in _assigned(node)}
    for cell in cells:
        if role_of(cell) is Role.GRADE and exercise_among_tests(cell) is None:
            points = facts_of(cell).get("points")
            found = TestCell(path.stem, grade_id_of(cell) or "", points if isinstance(points, int | float) else 0)
            tests, obstacle = _examined(cell, functions, variables)
            yield dataclasses.replace(found, tests=tests, obstacle=obstacle)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _tree(cell: NotebookNode) -> ast.Module | None:
    return parse(Translator().translate(cell.source).python)


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        yield from _stored(target)


def _stored(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _examined(cell: NotebookNode, functions: set[str], variables: set[str]) -> tuple[tuple[str, ...], str]:
    """The ``functions`` that the cell calls, and why it cannot become a check as it is; empty if it can."""
    tree = _tree(cell)
    if tree is None:
        return (), "it is not Python"
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if looked_at := sorted((used & variables) - _stored(tree)):
        return (), f"it looks at the variable {looked_at[0]}; a check calls functions: have the solution define one"
    if not (called := sorted(used & functions)):
        return (), "it uses nothing that a solution cell defines"
    if not any(isinstance(node, ast.Assert | ast.Raise | ast.Expr) for node in ast.walk(tree)):
        return (), "it asserts nothing"
    return tuple(called), ""
