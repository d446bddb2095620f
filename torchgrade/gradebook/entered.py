"""The gradebook's entries for each student's submission, in two queries for a class: most runs find most of it unchanged."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime

from nbgrader.api import Assignment, Grade, GradeCell, Notebook, SubmittedAssignment

from torchgrade.gradebook.store import OpenGradebook, of_assignment
from torchgrade.record import digest

EARLIER_MARKS = "the gradebook still holds the marks of an earlier one: ask for the file again, or change the marks in Formgrader"
"""The end of a line about a submission that cannot be graded."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entered:
    """When a student handed in, and the automatic scores by notebook and grade cell; ``None`` for one that has no score."""

    when: datetime | None
    scores: dict[tuple[str, str], float | None] = dataclasses.field(default_factory=dict)

    def of(self, notebook: str) -> dict[str, float | None]:
        """The scores in one notebook, by cell."""
        return {cell: points for (name, cell), points in self.scores.items() if name == notebook}

    @property
    def digest(self) -> str:
        """A digest of the time and the automatic scores; points that a person gives do not change it."""
        when = self.when.isoformat() if self.when is not None else ""
        return digest(when, json.dumps(sorted((*key, points) for key, points in self.scores.items())))


def all_entered(book: OpenGradebook, assignment: str, student: str = "") -> dict[str, Entered]:
    """Return the entries of each student who has a submission in the gradebook; with ``student``, that one's alone."""
    submissions = (
        book.db.query(SubmittedAssignment.student_id, SubmittedAssignment.timestamp)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment)
    )
    scores = (
        book.db.query(SubmittedAssignment.student_id, Notebook.name, GradeCell.name, Grade.auto_score)
        .select_from(Grade)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
    )
    scores = of_assignment(scores, Grade.notebook_id, assignment, student)
    if student:
        submissions = submissions.filter(SubmittedAssignment.student_id == student)
    try:
        found = {name: Entered(when) for name, when in submissions}
        for name, notebook, cell, points in scores:
            if name in found:  # another program may have entered it between the two questions
                found[name].scores[notebook, cell] = points
    finally:
        book.db.remove()
    return found
