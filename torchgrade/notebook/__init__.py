"""Notebooks: read them safely, know an assignment's exercises, take the code that runs, compose submissions."""

from torchgrade.notebook.assignment import Assignment, Exercise, list_assignments, load_assignment
from torchgrade.notebook.composing import compose
from torchgrade.notebook.errors import NotebookError
from torchgrade.notebook.program import CodeCell, Program, take_program
from torchgrade.notebook.reading import parse_notebook, read_bytes, read_notebook, write_notebook

__all__ = [
    "Assignment",
    "CodeCell",
    "Exercise",
    "NotebookError",
    "Program",
    "compose",
    "list_assignments",
    "load_assignment",
    "parse_notebook",
    "read_bytes",
    "read_notebook",
    "take_program",
    "write_notebook",
]
