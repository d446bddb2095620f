"""The cells of a new exercise, and how they get into a notebook: as text, so that nothing else of the file changes."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from torchgrade.authoring.skeleton import render
from torchgrade.course import CourseError

POINTS = 8
"""The sum of the points of the skeleton's checks."""

_FORMAT = (4, 5)
_KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
_METADATA = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def exercise_cells(assignment: str, exercise: str, *, kind: str = "function", finished: bool = False) -> list[NotebookNode]:
    """Text, specification, contract, stub and grade cell of one exercise; ``kind`` and ``finished`` as in :func:`render`."""

    def text(name: str) -> str:
        return render(f"cells/{name}", assignment, exercise, kind=kind, finished=finished).rstrip("\n")

    return [
        _cell("markdown", f"{exercise}-text", text("text.md")),
        _cell("code", f"{exercise}-specification", text("specification.py")),
        _cell("markdown", f"{exercise}-task", text("task.md")),
        _cell("code", exercise, text("stub.py"), locked=False, solution=True),
        _cell("code", f"{exercise}-check", f'check("{exercise}")', grade=True, points=POINTS),
    ]


def assignment_notebook(assignment: str, exercise: str, *, kind: str = "function", finished: bool = False) -> str:
    """The notebook of a new assignment: introduction and imports before its exercise, handing in behind it."""
    introduction = render("cells/introduction.md", assignment, exercise, kind=kind, finished=finished).rstrip("\n")
    before = [_cell("markdown", "introduction", introduction), imports_cell(assignment, exercise, "imports")]
    behind = [_cell("markdown", "submitting", render("cells/submitting.md", assignment, exercise).rstrip("\n"))]
    cells = exercise_cells(assignment, exercise, kind=kind, finished=finished)
    refuse_double(before + behind, cells, exercise)
    return str(nbformat.writes(new_notebook(cells=before + cells + behind, metadata=_METADATA))) + "\n"


def refuse_double(old: Iterable[NotebookNode], new: Iterable[NotebookNode], exercise: str) -> None:
    """Raise :class:`CourseError` where a cell has the name that a new one needs."""
    taken = {name for cell in old for name in (cell.get("id"), cell.metadata.get("nbgrader", {}).get("grade_id"))}
    for cell in new:
        if cell.id in taken:
            raise CourseError(f"the notebook has a cell {cell.id!r}: choose another name than {exercise}. Nothing was changed.")


def imports_cell(assignment: str, exercise: str, grade_id: str) -> NotebookNode:
    """A code cell with the imports that a stub and its grade cell need."""
    return _cell("code", grade_id, render("cells/imports.py", assignment, exercise).rstrip("\n"))


def imports_what_is_needed(notebook: NotebookNode) -> bool:
    """Return whether the notebook imports what a stub and its grade cell need."""
    names: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            with contextlib.suppress(SyntaxError):  # a cell with magics
                body = ast.parse(cell.source).body
                imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
                names |= {alias.asname or alias.name for node in imports for alias in node.names}
    return {"torch", "Tensor", "check"} <= names


def with_cells(source: bytes, cells: list[NotebookNode], name: str) -> bytes:
    """The notebook file ``source`` with ``cells`` behind its last one, and every other byte as it was.

    ``source`` is a notebook that was read before, with at least one cell; :class:`CourseError` where it is of an older format.
    """
    text = source.decode("utf-8")
    document = json.loads(text.removeprefix("\ufeff"))
    if (document.get("nbformat"), document.get("nbformat_minor", 0)) < _FORMAT:
        raise CourseError(f"{name} is of an older format than {_FORMAT[0]}.{_FORMAT[1]}: open and save it in JupyterLab first")
    begin, end = _last_cell(text)
    margin = text[text.rfind("\n", 0, begin) + 1 : begin]
    new = json.loads(nbformat.writes(new_notebook(cells=cells)))["cells"]
    return (text[:end] + "".join(_laid_out(cell, text, margin) for cell in new) + text[end:]).encode("utf-8")


def _laid_out(cell: Mapping[str, object], text: str, margin: str) -> str:
    """A cell as JSON, with the comma before it, indented as the file's other cells are."""
    if margin.strip():  # cells do not begin a line: it is all in one
        return ", " + json.dumps(cell, ensure_ascii=False)
    written = json.dumps(cell, ensure_ascii=False, indent=margin[: len(margin) // 2])
    newline = "\r\n" if "\r\n" in text else "\n"
    return (",\n" + textwrap.indent(written, margin)).replace("\n", newline)


def _last_cell(text: str) -> tuple[int, int]:
    """Where the last cell begins and ends in the notebook's text."""
    at = _skip(text, text.index("{") + 1)
    while True:
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # over the colon
        if key == "cells":
            break
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # over the comma
    begin = end = at
    at = _skip(text, at + 1)
    while text[at] != "]":
        begin = at
        _, end = _DECODER.raw_decode(text, at)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return begin, end


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _cell(kind: str, grade_id: str, source: str, **flags: object) -> NotebookNode:
    facts = {"grade": False, "grade_id": grade_id, "locked": True, "schema_version": 3, "solution": False, "task": False}
    make: Callable[..., NotebookNode] = new_markdown_cell if kind == "markdown" else new_code_cell
    return make(source, id=grade_id, metadata={"nbgrader": facts | flags})
