"""Makes a submission of solution files, so that wheats, chaffs and the reference can be tried like a student's own answers."""

from __future__ import annotations

import copy
import io
import re
import tokenize
from collections.abc import Mapping

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from torchgrade.notebook.assignments import Assignment
from torchgrade.notebook.cells import grade_id_of
from torchgrade.notebook.reading import unused_id

_PLAIN_STRING = re.compile(r"[uUrR]?['\"]")
_LAYOUT = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL)


def compose(assignment: Assignment, solutions: Mapping[str, str]) -> NotebookNode:
    """A submission of ``assignment`` in which the solution cell of each exercise in ``solutions`` holds that text.

    A line that is exactly ``# %%`` begins another cell. The docstring that opens a file is left out: it says what the file
    is, and is not part of the answer. Raises :class:`NotebookError` for an exercise that the assignment does not have.
    """
    for name in solutions:
        assignment.exercise(name)
    notebook = copy.deepcopy(assignment.notebook)
    taken = {cell.id for cell in notebook.cells}
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        text = solutions.get(grade_id_of(cell) or "")
        if text is None:
            continue
        cell.source, *further = _parts(text)
        for source in further:
            identity = unused_id(f"{cell.id}-more", taken)
            taken.add(identity)
            cells.append(new_code_cell(source, id=identity))
    notebook.cells = cells
    return notebook


def _parts(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, *further = (part.strip("\n") for part in re.split(r"^# %%$", _without_docstring(text), flags=re.MULTILINE))
    # A file may also open every cell with the mark, even the first one.
    return further if further and not first.strip() else [first, *further]


def _without_docstring(text: str) -> str:
    """``text`` without the string that is its first statement. The rest need not be valid Python."""
    start = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and _PLAIN_STRING.match(token.string):
                start = token.start[0] if start is None else start
            elif start is not None and token.type == tokenize.NEWLINE:
                rows = text.split("\n")
                return "\n".join(rows[: start - 1] + rows[token.start[0] :])
            elif token.type not in _LAYOUT:
                return text
    except (tokenize.TokenError, SyntaxError):
        return text
    return text
