"""A course of one small assignment, and ways to hand in what a student might have made of it."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ASSIGNMENT = "sums"
STUBS = {
    "add": "def add(x: Tensor) -> Tensor:\n    raise NotImplementedError",
    "scale": "def scale(x: Tensor, by: float) -> list[Tensor]:\n    raise NotImplementedError\n\n\nclass Scaler:\n    pass",
}
POINTS = {"add": 4, "scale": 2.5}


def meta(grade_id, **flags):
    facts = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**facts, "grade_id": grade_id, **flags}}


def solution_cell(name, source):
    return new_code_cell(source, id=name, metadata=meta(name, locked=False, solution=True))


def grade_cell(name, points):
    cell_id = f"{name}-check"
    return new_code_cell(f'check("{name}")', id=cell_id, metadata=meta(cell_id, grade=True, points=points))


def assignment_cells():
    """Title and imports, then each exercise; between the two exercises a locked helper."""
    return [
        new_markdown_cell("# Sums", id="title", metadata=meta("title")),
        new_code_cell("import torch", id="imports", metadata=meta("imports")),
        solution_cell("add", STUBS["add"]),
        grade_cell("add", POINTS["add"]),
        new_code_cell("def helper():\n    return add", id="helper", metadata=meta("helper")),
        solution_cell("scale", STUBS["scale"]),
        grade_cell("scale", POINTS["scale"]),
    ]


def write_assignment(course, cells, name=ASSIGNMENT):
    path = course / "assignments" / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(new_notebook(cells=cells)), encoding="utf-8")
    return path
