"""What of a submission runs, in which order. The course's own cells come from the course, whatever the student's file says.

assignment   imports* · text · SOLUTION a · a-check · helper* · SOLUTION b · b-check          (* locked)
submission   the student's solution cells and own cells, in their order; locked cells put where they belong; no grade cells
"""

from __future__ import annotations

import dataclasses
from typing import Any

from nbformat import NotebookNode

from torchgrade.notebook.assignment import (
    CHECK,
    DEMO,
    Assignment,
    grade_id_of,
    is_grade,
    is_locked,
    is_solution,
    list_assignments,
    load_assignment,
)
from torchgrade.notebook.errors import NotebookError
from torchgrade.notebook.magics import without_magics


@dataclasses.dataclass(frozen=True, slots=True)
class CodeCell:
    """A cell that runs. ``number`` counts all cells of the submitted notebook from 1; 0 is a locked cell that was not there.

    ``python`` has the lines of ``source``, without magics.
    """

    number: int
    grade_id: str | None
    locked: bool
    source: str
    python: str


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """The cells in the order in which they run, and notes for the student and the instructor."""

    cells: tuple[CodeCell, ...]
    notes: tuple[str, ...]

    def to_wire(self) -> list[dict[str, Any]]:
        """The cells as plain data."""
        return [{"number": c.number, "grade_id": c.grade_id, "source": c.source, "python": c.python} for c in self.cells]


def take_program(assignment: Assignment, submission: NotebookNode) -> Program:
    """The program of a submission. Raises :class:`NotebookError` if it is no notebook of this assignment."""
    return _Taking(assignment, submission).program()


class _Taking:
    def __init__(self, assignment: Assignment, submission: NotebookNode) -> None:
        self._assignment, self._submission = assignment, submission
        self._names = {exercise.name for exercise in assignment.exercises}
        self._locked = {
            str(grade_id_of(cell)): (position, cell)
            for position, cell in enumerate(assignment.notebook.cells)
            if is_locked(cell) and not is_grade(cell)
        }
        self._positions = {grade_id_of(cell): position for position, cell in enumerate(assignment.notebook.cells)}
        self._grade_ids = {str(grade_id_of(cell)) for cell in assignment.notebook.cells if is_grade(cell)}
        self._demos = {cell.source.strip() for cell in assignment.notebook.cells if DEMO in cell.metadata.get("tags", ())}
        self._due = [(position, grade_id) for grade_id, (position, cell) in self._locked.items() if cell.cell_type == "code"]
        self._cells: list[CodeCell] = []
        self._notes: list[str] = []
        self._first_seen: dict[str, int] = {}

    def program(self) -> Program:
        self._must_be_of_this_assignment()
        solutions = dict.fromkeys(self._names, 0)
        for number, cell in enumerate(self._submission.cells, start=1):
            grade_id = grade_id_of(cell)
            if grade_id in self._grade_ids or (grade_id is not None and is_grade(cell)):
                self._note_grade_cell(number, grade_id)
            elif grade_id in self._locked:
                self._take_locked(number, str(grade_id), cell)
            elif cell.cell_type != "code":
                if grade_id in self._names:
                    self._notes.append(f"The solution cell of {grade_id!r} is a {cell.cell_type} cell, so its code was not run.")
            elif grade_id in self._names:
                solutions[str(grade_id)] += 1
                self._take_solution(number, str(grade_id), cell)
            elif cell.source.strip() not in self._demos:
                self._emit(number, grade_id, cell.source, locked=False)
        self._emit_due(len(self._assignment.notebook.cells))
        self._note_solutions(solutions)
        self._note_missing()
        return Program(tuple(self._cells), tuple(self._notes))

    def _must_be_of_this_assignment(self) -> None:
        ids = {grade_id_of(cell) for cell in self._submission.cells} - {None}
        if ids & self._names:
            return
        course = self._assignment.path.parents[2]
        for other in list_assignments(course):
            try:
                known = {exercise.name for exercise in load_assignment(course, other).exercises}
            except NotebookError:
                continue
            if other != self._assignment.name and ids & known:
                raise NotebookError(f"this is a notebook of the assignment {other!r}; expected one of {self._assignment.name!r}")
        wanted = ", ".join(exercise.name for exercise in self._assignment.exercises)
        raise NotebookError(
            f"this is no notebook of {self._assignment.name!r}: it has none of the solution cells {wanted}. "
            "Fetch the assignment again and copy your code into it"
        )

    def _take_locked(self, number: int, grade_id: str, cell: NotebookNode) -> None:
        position, original = self._locked[grade_id]
        if grade_id in self._first_seen:
            self._notes.append(f"The locked cell {grade_id!r} is there twice; it was run once.")
            return
        self._first_seen[grade_id] = number
        if cell.cell_type != original.cell_type or cell.source.rstrip() != original.source.rstrip():
            self._notes.append(f"The locked cell {grade_id!r} had been changed; the original was used.")
        self._emit_due(position + 1)

    def _take_solution(self, number: int, name: str, cell: NotebookNode) -> None:
        self._emit_due(self._positions[name])
        if cell.source.rstrip() == self._assignment.exercise(name).stub.rstrip():
            self._notes.append(f"{name!r} is as it was handed out.")
        self._emit(number, name, cell.source, locked=False)

    def _note_grade_cell(self, number: int, grade_id: str | None) -> None:
        if grade_id not in self._grade_ids:
            self._notes.append(
                f"Cell {number} claims to be a grade cell, {grade_id!r}, which the assignment does not have; it was ignored."
            )
        elif grade_id in self._first_seen:
            self._notes.append(f"The grade cell {grade_id!r} is there twice; that changes nothing.")
        else:
            self._first_seen[str(grade_id)] = number

    def _emit_due(self, before: int) -> None:
        """The locked code cells that stand before this position of the assignment and have not run yet."""
        while self._due and self._due[0][0] < before:
            _, grade_id = self._due.pop(0)
            source = self._locked[grade_id][1].source
            self._emit(self._first_seen.get(grade_id, 0), grade_id, source, locked=True)

    def _emit(self, number: int, grade_id: str | None, source: str, *, locked: bool) -> None:
        plain = without_magics(source)
        for line, what in plain.skipped:
            self._notes.append(f"Cell {number}, line {line}: {what} was skipped; grading runs no shell and no notebook magic.")
        self._cells.append(CodeCell(number, grade_id, locked, source, plain.python))

    def _note_solutions(self, solutions: dict[str, int]) -> None:
        for exercise in self._assignment.exercises:
            count = solutions[exercise.name]
            if count == 0:
                self._notes.append(f"The solution cell of {exercise.name!r} is missing; what defines it in other cells counts.")
            elif count > 1:
                self._notes.append(
                    f"{count} cells are marked as the solution of {exercise.name!r}; all were run, so the last one counts."
                )

    def _note_missing(self) -> None:
        for grade_id, (_, cell) in self._locked.items():
            if grade_id not in self._first_seen and cell.cell_type == "code":
                self._notes.append(f"The locked cell {grade_id!r} was missing; it was put back.")
        for grade_id in sorted(self._grade_ids - set(self._first_seen)):
            exercise = grade_id.removesuffix(CHECK)
            self._notes.append(f"The grade cell of {exercise!r} was missing; it was put back.")


__all__ = ["CodeCell", "Program", "is_solution", "take_program"]
