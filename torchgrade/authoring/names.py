"""Which names an assignment and an exercise may have: each becomes a Python name, a file's name and the ids of cells."""

from __future__ import annotations

import keyword
import re

from torchgrade.course import CourseError

LONGEST = 40
"""Characters; the id of a cell has at most 64, and ours have something behind the name."""

TAKEN = frozenset(("run", "probe", "function", "limit", "torch", "Tensor", "check"))
"""Names that mean something else as ``student.<name>`` in a grader, or that the notebook's first cell imports."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def require_names(assignment: str, exercise: str) -> None:
    """Raise :class:`CourseError`, one line, where one of the names cannot be used."""
    _require("assignment", assignment)
    _require("exercise", exercise)
    if exercise in TAKEN:
        raise CourseError(f"the exercise cannot be called {exercise}: in a grader or a notebook that name means something else")


def _require(what: str, name: str) -> None:
    expected = "expected a Python name of ASCII letters, digits and _, with a letter first, such as masked_mean"
    if not _NAME.fullmatch(name):
        raise CourseError(f"{name!r} cannot be the name of an {what}: {expected}")
    if keyword.iskeyword(name):
        raise CourseError(f"{name!r} cannot be the name of an {what}: it is a keyword of Python")
    if len(name) > LONGEST:
        raise CourseError(f"the name of the {what} has {len(name)} characters; at most {LONGEST} are possible")
