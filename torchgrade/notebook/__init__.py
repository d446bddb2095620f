"""Notebooks: read without trust, validated, taken apart into the code that runs, and composed from solution files."""

# ruff: noqa: E402 - the lines before the imports are there to make the imports quick

import sys

# nbformat imports jsonschema, which builds a grammar for international addresses if it finds this package: 1.2 s at each
# start of a judge, for a check that no notebook's schema asks for.
_ADDRESSES = "rfc3987_syntax"
if _ADDRESSES not in sys.modules:
    sys.modules[_ADDRESSES] = None  # type: ignore[assignment]  # Python's own way to say "not installed"
    import nbformat  # noqa: F401

    del sys.modules[_ADDRESSES]

from torchgrade.notebook.assignments import (
    Assignment,
    ExerciseCells,
    assignment_of,
    assignment_of_course,
    list_assignments,
    load_assignment,
)
from torchgrade.notebook.composing import compose
from torchgrade.notebook.data_files import DataFiles, read_data_files
from torchgrade.notebook.errors import NotebookError
from torchgrade.notebook.files import NotebookFile, write_notebook
from torchgrade.notebook.program import CodeCell, Program, take_program
from torchgrade.notebook.reading import parse_notebook, read_notebook

__all__ = [
    "Assignment",
    "CodeCell",
    "DataFiles",
    "ExerciseCells",
    "NotebookError",
    "NotebookFile",
    "Program",
    "assignment_of",
    "assignment_of_course",
    "compose",
    "list_assignments",
    "load_assignment",
    "parse_notebook",
    "read_data_files",
    "read_notebook",
    "take_program",
    "write_notebook",
]
