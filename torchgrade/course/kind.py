"""The kinds of course, each told by facts: whoever acts on one names the fact that matters, and never the kind.

``nbgrader_config.py`` says by the steps of its autograding which kind a course is. What the commands do for each kind stands in
``torchgrade/cli/by_kind.py``; a third kind is one more :class:`CourseKind` here and one more strategy there.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CourseKind:
    """The facts that hold in every course of a kind."""

    step: str
    """The step of nbgrader's autograding that only courses of this kind have, as ``nbgrader_config.py`` names it."""
    tests_in_cells: bool
    """A grade cell may hold tests of its own; an exercise's calls ``check()``, and an assignment may have no exercise at all."""
    one_notebook: bool
    """An assignment is one notebook, which has its name. Otherwise it may be several, with any names."""
    whole_records: bool
    """A record holds all the marks of a submission but those that a person gives. Otherwise the gradebook alone does."""


CLASSIC_COURSE = CourseKind(
    step="torchgrade.classic.execute.ExecuteInJail",
    tests_in_cells=True,
    one_notebook=False,
    whole_records=False,
)
CHECKS_COURSE = CourseKind(
    step="torchgrade.gradebook.preprocessor.GradeWithTorchgrade",
    tests_in_cells=False,
    one_notebook=True,
    whole_records=True,
)
KINDS = (CLASSIC_COURSE, CHECKS_COURSE)
"""A course is of the first whose step it has: a classic one has the other's as well, for its exercises."""
