"""nbgrader's metadata of a cell. In a submission, anybody may have written it: expect any JSON at all."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping

from nbformat import NotebookNode

CHECK = "-check"
"""The end of a grade cell's name; the part before it is its exercise's name."""


class Role(enum.Enum):
    """The role of a cell of an assignment."""

    SOLUTION = "solution"
    """Where a student writes the answer to an exercise."""
    GRADE = "grade"
    """Holds an exercise's points."""
    LOCKED = "locked"
    """Given, and not to be edited."""
    ORDINARY = "ordinary"
    """Anything else."""


def facts_of(cell: NotebookNode) -> Mapping[str, object]:
    """The cell's nbgrader metadata; empty if it has none."""
    facts = cell.metadata.get("nbgrader")
    return facts if isinstance(facts, Mapping) else {}


def grade_id_of(cell: NotebookNode) -> str | None:
    """The cell's ``grade_id``, if it has one and that is text."""
    grade_id = facts_of(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) and grade_id else None


def role_of(cell: NotebookNode) -> Role:
    """The role of a cell of the course's own notebook, from its nbgrader metadata."""
    facts = facts_of(cell)
    grade, solution, locked = (facts.get(flag) is True for flag in ("grade", "solution", "locked"))
    if grade and not solution:
        return Role.GRADE
    if solution and not grade:
        return Role.SOLUTION
    return Role.LOCKED if locked and not solution else Role.ORDINARY


def exercise_among_tests(cell: NotebookNode) -> str | None:
    """The exercise whose checks give this cell its points, in a notebook whose other grade cells hold tests of their own.

    Such a grade cell is named ``<exercise>-check`` and calls ``check("<exercise>")``; for any other cell this is ``None``.
    """
    name = (grade_id_of(cell) or "").removesuffix(CHECK)
    if role_of(cell) is not Role.GRADE or cell.cell_type != "code" or name == grade_id_of(cell):
        return None
    return name if re.search(rf"""\bcheck\(\s*(["']){re.escape(name)}\1""", cell.source) else None


def same_text(one: str, other: str) -> bool:
    """Return whether two sources are equal except for trailing white space."""
    return [line.rstrip() for line in one.rstrip().split("\n")] == [line.rstrip() for line in other.rstrip().split("\n")]
