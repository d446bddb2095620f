"""Points that a person gives in Formgrader: cells of free text, or of plots, beside the exercises that checks grade.

nbgrader has such a cell under "Manually graded answer". A record knows nothing of it; the gradebook does.
"""

from __future__ import annotations

from collections.abc import Mapping

from nbformat import NotebookNode
from nbgrader.api import Assignment, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook, TaskCell

from torchgrade.course import Course
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log
from torchgrade.gradebook.store import one_gradebook
from torchgrade.notebook import assignment_of_course
from torchgrade.notebook.cells import facts_of
from torchgrade.report.presentation import amount


def is_graded_by_hand(cell: NotebookNode) -> bool:
    """Return whether a person gives this cell's points: an answer that is both solution and grade cell, or a task."""
    facts = facts_of(cell)
    return (facts.get("grade") is True and facts.get("solution") is True) or facts.get("task") is True


def points_by_hand(course: Course, assignment: str) -> dict[str, float]:
    """How many points of each student's submission still wait for a person; who has none of these is left out."""
    source = assignment_of_course(course, assignment)
    names = [facts_of(cell)["grade_id"] for cell in source.notebook.cells if is_graded_by_hand(cell)]
    if not names:
        return {}
    coursedir = course_directory(config_of(course), quiet_log()[0], "")
    waiting: dict[str, float] = {}
    with one_gradebook(coursedir.db_url, coursedir.course_id) as book:
        for kind in (GradeCell, TaskCell):
            rows = (
                book.db.query(SubmittedAssignment.student_id, kind.max_score)
                .select_from(Grade)
                .join(kind, kind.id == Grade.cell_id)
                .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
                .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
                .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
                .filter(Assignment.name == assignment, kind.name.in_(names), Grade.needs_manual_grade)
            )
            for student, points in rows:
                waiting[student] = waiting.get(student, 0.0) + points
    return waiting


def why_open(by_hand: Mapping[str, float], assignment: str, student: str) -> str:
    """Why a mark is not final, and what to do about it; ``by_hand`` as :func:`points_by_hand` has it."""
    if points := by_hand.get(student):
        return f"{amount(points)} to be given by hand, in Formgrader"
    return f"some checks are not decided: torchgrade grade {assignment}"
