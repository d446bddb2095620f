"""The history of a submission in a classic course: its gradings, then the records of its exercises with checks."""

from __future__ import annotations

import dataclasses

from torchgrade.classic.gradings import Gradings, gradings_text
from torchgrade.cli.checks.history import history as record_history
from torchgrade.cli.strategy import History
from torchgrade.course import Course


def history(course: Course, assignment: str, student: str) -> History:
    """Return both, oldest first; one of them may be missing: nbgrader's own command leaves records, and no gradings."""
    gradings = Gradings(course.results).of(student, assignment)
    records, text, damaged = record_history(course, assignment, student)
    parts = [gradings_text(gradings)] if gradings else []
    parts += ["Its exercises with checks:", text] if records else []
    data = {"gradings": [dataclasses.asdict(each) for each in gradings], "records": records} if parts else []
    return History(data, "\n".join(parts), damaged)
