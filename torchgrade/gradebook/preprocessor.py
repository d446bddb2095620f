"""Puts marks into the notebook, in the place where nbgrader would run the notebook in a kernel. Nothing is run here.

nbgrader takes a grade cell's score from its *first* deciding output, and gives full marks if it finds none, or one that is
not a number between 0 and the cell's points. So each grade cell gets exactly one such number, as its first output, and a
grade cell for which there is no number stops the submission.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from torchgrade.bank import misconceptions
from torchgrade.course import Course
from torchgrade.gradebook.cells import exercise_of, has_checks
from torchgrade.gradebook.nbgrader_course import GradebookError, Resources, course_of, handed_on
from torchgrade.gradebook.store import gradebook_at
from torchgrade.notebook.cells import CHECK
from torchgrade.record import Exercise, Record, digest

if TYPE_CHECKING:
    from torchgrade.report.mark import Mark

_new: Any = nbformat.v4  # its functions have no types
SUMMARY_ID = "torchgrade-summary"
OURS = "torchgrade"
"""A key in an output's metadata. It means that torchgrade made the output, and that pages show it as it is."""


def stamp(record: Record) -> str:
    """A digest of the whole record, to recognise it by."""
    return digest(json.dumps(record.to_json(), sort_keys=True))


def score(exercise: Exercise, cell_points: float) -> float:
    """The number that nbgrader may see for ``exercise``, in a cell of ``cell_points`` points: finite, and in range."""
    if not math.isclose(exercise.max_points, cell_points, abs_tol=1e-6):
        raise GradebookError(
            f"{exercise.name!r} was graded for {exercise.max_points:g} points, but its cell in the gradebook has "
            f"{cell_points:g}: release the assignment again, then grade it again"
        )
    if not math.isfinite(exercise.points):
        raise GradebookError(f"the record's points of {exercise.name!r} are not a number: {exercise.points}")
    return min(max(float(exercise.points), 0.0), float(cell_points))


def is_open(exercise: Exercise) -> bool:
    """Return whether some check of the exercise is still undecided."""
    return any(check.is_open for check in exercise.checks)


class GradeWithTorchgrade(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Give every grade cell ``<exercise>-check`` its score and its table, and the notebook a summary at the top.

    In a classic course, the other grade cells keep what their tests put out, and so does a notebook without exercises.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry. Raises :class:`GradebookError` if a grade cell and the record do not fit."""
        facts = resources["nbgrader"]
        course = course_of(self)
        _disown(nb)
        if not has_checks(course, facts["assignment"], facts["notebook"]):
            return nb, resources
        record = _record(course, facts["assignment"], facts["student"], handed_on(resources).record)
        if not record.readable:
            why = record.problems[0] if record.problems else "it is not a notebook of this assignment"
            raise GradebookError(f"{record.student}'s submission cannot be read: {why}")
        exercises = {exercise.name: exercise for exercise in record.exercises}
        graded = set()
        for cell in nb.cells:
            if (name := exercise_of(cell, course.kind)) is None:
                continue
            if name not in exercises:
                raise GradebookError(
                    f"the grade cell '{name}{CHECK}' has no checks in graders/{record.assignment}: "
                    f"write some for {name!r}, or make it a manually graded cell"
                )
            graded.add(name)
            cell.outputs = _outputs(exercises[name], float(cell.metadata.nbgrader["points"]))
            cell.execution_count = None
        if lost := exercises.keys() - graded:
            raise GradebookError(f"no grade cell for {', '.join(sorted(lost))}: release the assignment again")
        nb.cells.insert(0, _summary(course, record))
        nb.metadata["torchgrade"] = {**nb.metadata.get("torchgrade", {}), "record": stamp(record)}
        return nb, resources


class FlagOpenMarks(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """After SaveAutoGrades: tell Formgrader that the score of an open exercise is only the score so far.

    Its cell shows as "needs manual grade", so that nobody thinks the submission is finished. Grading it again, once the
    missing checks can be decided, clears the flag.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry; the notebook itself is unchanged."""
        facts, kind = resources["nbgrader"], course_of(self).kind
        graded = [cell for cell in nb.cells if exercise_of(cell, kind) is not None]
        names = [cell.metadata.nbgrader["grade_id"] for cell in graded if _is_marked_open(cell)]
        if names:
            with gradebook_at(facts["db_url"]) as gradebook:
                for name in names:
                    grade = gradebook.find_grade(name, facts["notebook"], facts["assignment"], facts["student"])
                    grade.needs_manual_grade = True
                gradebook.db.commit()
        return nb, resources


def _record(course: Course, assignment: str, student: str, known: Record | None) -> Record:
    # torchgrade's own converter has the record at hand; nbgrader's command asks for it, which grades if necessary.
    if known is not None and (known.assignment, known.student) == (assignment, student):
        return known
    from torchgrade.runs import record_for  # noqa: PLC0415 - imports torch

    return record_for(course, assignment, student)


def _is_marked_open(cell: NotebookNode) -> bool:
    return bool(cell.outputs[0].metadata.get(OURS, {}).get("open"))


def _disown(notebook: NotebookNode) -> None:
    """Remove from all outputs, which come from a kernel, any claim that they are torchgrade's."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("metadata", {}).pop(OURS, None)


def _outputs(exercise: Exercise, cell_points: float) -> list[NotebookNode]:
    from torchgrade.report.pages import exercise_html, exercise_text  # noqa: PLC0415 - its templates are slow to load

    points = {"text/plain": repr(score(exercise, cell_points))}
    table = {"text/html": exercise_html(exercise), "text/plain": exercise_text(exercise)}
    return [
        _new.new_output("execute_result", points, metadata={OURS: {"open": is_open(exercise)}}),
        _new.new_output("display_data", table, metadata={OURS: {"table": True}}),
    ]


def summary_html(course: Course, record: Record, mark: Mark | None = None) -> str:
    """The summary above a graded notebook; without a mark, which can change in Formgrader, it is only about the checks."""
    from torchgrade.report.pages import submission_html  # noqa: PLC0415 - its templates are slow to load

    guesses = misconceptions(course, record.assignment, record.exercises)
    solutions = course.pages.solutions.replace("{assignment}", record.assignment)
    return submission_html(record, mark, guesses=guesses, solutions=solutions)


def is_summary(cell: NotebookNode) -> bool:
    """Return whether torchgrade put its summary into this cell of a graded copy."""
    outputs = cell.get("outputs") if cell.cell_type == "code" else None
    return bool(outputs and outputs[0].get("metadata", {}).get(OURS, {}).get("summary"))


def _summary(course: Course, record: Record) -> NotebookNode:
    # Without nbgrader metadata, so that no step of nbgrader takes it for a cell of the assignment.
    summary = {"text/html": summary_html(course, record), "text/plain": _in_words(record)}
    shown = _new.new_output("display_data", summary, metadata={OURS: {"summary": True}})
    cell: NotebookNode = _new.new_code_cell("", outputs=[shown], metadata={"editable": False, "deletable": False})
    cell["id"] = SUMMARY_ID
    return cell


def _in_words(record: Record) -> str:
    return f"{record.points:g} of {record.max_points:g} points of checks ({record.status.value})"
