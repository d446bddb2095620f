"""A submission from solution files, for demos, tests and the audit."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from torchgrade.notebook.assignment import Assignment, grade_id_of, is_solution

SPLIT = "# %%"


def compose(assignment: Assignment, solutions: Mapping[str, str]) -> NotebookNode:
    """The assignment's notebook with these texts as solution cells; exercises that are not named keep their stub.

    A line ``# %%`` splits a text: what follows goes to a cell of its own behind the solution cell. The docstring that a
    solution file starts with stays out.
    """
    for name in solutions:
        assignment.exercise(name)  # raises for one that is not there
    notebook = copy.deepcopy(assignment.notebook)
    cells: list[NotebookNode] = []
    for cell in notebook.cells:
        cells.append(cell)
        name = grade_id_of(cell) or ""
        if name in solutions and is_solution(cell):
            first, *others = _split(_without_docstring(solutions[name]))
            cell.source = first
            for number, text in enumerate(others, start=1):
                extra = new_code_cell(text)
                extra["id"] = f"{cell['id']}-{number}"[:64]
                cells.append(extra)
    notebook.cells = cells
    return notebook


def _split(text: str) -> list[str]:
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip() == SPLIT:
            parts.append([])
        else:
            parts[-1].append(line)
    return ["\n".join(lines).strip("\n") for lines in parts]


def _without_docstring(text: str) -> str:
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return text
    if not body or not isinstance(body[0], ast.Expr) or not isinstance(body[0].value, ast.Constant):
        return text
    if not isinstance(body[0].value.value, str):
        return text
    lines = text.splitlines()
    return "\n".join(lines[body[0].end_lineno :]).lstrip("\n")
