"""Cells that did not run through. Each is reported once, with its line and a caret; checks that miss a name only refer to that.

program, the session's cell errors ──► problems of the record
name that is not defined ──► "Not run: cell 7 has a syntax error in line 3."
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

from torchgrade.checks.faults import NotDefined, Raised
from torchgrade.jail import CellError
from torchgrade.notebook import CodeCell, Program

_MOST_TEXT = 200


class BrokenCells:
    """The cells of one program that raised, hung or could not be parsed."""

    def __init__(self, program: Program, errors: Sequence[CellError]) -> None:
        self._errors = [(program.cells[error.index], error) for error in errors]

    def problems(self) -> list[str]:
        """Return a text for each; the text of a syntax error goes on with the line, and a caret below it."""
        return [_told(cell, error) for cell, error in self._errors]

    def reason(self, exercise: str, name: str) -> str | None:
        """Return why a check of ``exercise`` did not find ``name``, if a cell would have defined it; otherwise ``None``."""
        for cell, _ in self._errors:
            if cell.grade_id == exercise or _defines(cell.source, name):
                return f"Not run: {_what_happened(cell)}."
        return None


_MISSING = re.compile(r"name '(\w+)' is not defined|module 'submission' has no attribute '(\w+)'")


def missing_name(fault: Raised | NotDefined) -> str:
    """Return the name that was missing, whether a check, a cell or a probe used it; empty for any other fault."""
    if isinstance(fault, NotDefined):
        return fault.name
    match = _MISSING.match(fault.text) if fault.kind in ("NameError", "AttributeError") else None
    return "" if match is None else match[1] or match[2]


def _what_happened(cell: CodeCell) -> str:
    where = f"cell {cell.number}" if cell.number else f"the locked cell {cell.grade_id!r}"
    syntax = syntax_error_of(cell.python)
    if syntax is None:
        return f"{where} did not run through"
    return f"{where} has a syntax error" + (f" in line {syntax.lineno}" if syntax.lineno else "")


def _told(cell: CodeCell, error: CellError) -> str:
    kind = "locked cell" if error.locked else "solution cell of"
    where = f"The {kind} {error.grade_id!r}" if error.grade_id else f"Cell {cell.number}"
    syntax = syntax_error_of(cell.python)
    if syntax is None or not syntax.lineno:
        return f"{where} did not run through. {error.message}"
    line = cell.python.split("\n")[syntax.lineno - 1]
    text = line.strip()[:_MOST_TEXT]
    column = (syntax.offset or 1) - 1 - (len(line) - len(line.lstrip()))
    shown = f"\n    {text}\n    {' ' * column}^" if 0 <= column <= len(text) else f"\n    {text}"
    return f"{where} did not run: syntax error in line {syntax.lineno}: {syntax.msg}.{shown}"


def syntax_error_of(python: str) -> SyntaxError | None:
    """Return what is wrong with the syntax of a cell, or ``None``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(python)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):  # it did not run for another reason, which the worker reports
        return None
    return None


def _defines(source: str, name: str) -> bool:
    return (
        bool(name)
        and re.search(rf"^(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[:=]", source, re.MULTILINE)
        is not None
    )
