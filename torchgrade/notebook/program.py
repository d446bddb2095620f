"""The cells of a submission that run, and their order.

    assignment   imports·L   softmax·S   softmax-check·G   helper·L   loss·S   loss-check·G
    submission   own code    softmax     softmax-check     imports    loss     own code
    program      own code    imports·L   softmax           helper·L   loss     own code

Locked cells (L) come from the assignment, each once, in its order, and before any solution cell (S) that follows them there.
Grade cells (G) never run: their points are given elsewhere, by the judge or by the tests in them. Whatever a student did to a
locked cell or a grade cell has no effect, and is noted.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections import deque

from nbformat import NotebookNode

from torchgrade.notebook.assignments import Assignment, assignment_of
from torchgrade.notebook.cells import CHECK, Role, grade_id_of, role_of, same_text
from torchgrade.notebook.errors import NotebookError, one_line
from torchgrade.notebook.magics import Translator

DEMO = "demo"
"""A cell of the assignment with this tag is for reading: as long as it is as it was handed out, it does not run."""
MOST_REMARKS = 20
"""The most notes on commands and magics that were left out; further ones are only counted."""


@dataclasses.dataclass(frozen=True)
class CodeCell:
    """One cell that runs."""

    number: int
    """Its position in the submitted notebook, counting all cells from 1; 0 for a locked cell that had been deleted."""
    grade_id: str | None
    """The exercise's name, or the locked cell's; None for a student's own cell."""
    locked: bool
    source: str
    """The cell's text as it was written."""
    python: str
    """The code that runs: it has as many lines as ``source``, so that line numbers agree."""


@dataclasses.dataclass(frozen=True)
class Program:
    """The cells in the order in which they run, and what their author and the instructor should know about them."""

    cells: tuple[CodeCell, ...]
    notes: tuple[str, ...]

    def to_wire(self) -> list[dict[str, object]]:
        """The cells as plain JSON values."""
        return [
            {
                "number": cell.number,
                "grade_id": cell.grade_id,
                "locked": cell.locked,
                "source": cell.source,
                "python": cell.python,
            }
            for cell in self.cells
        ]


def take_program(assignment: Assignment, submission: NotebookNode) -> Program:
    """The program of a submission (which comes from :func:`read_notebook`).

    Raises :class:`NotebookError` if ``submission`` has no solution cell of ``assignment`` at all: it belongs to another
    assignment.
    """
    taking = _Taking(assignment, submission)
    if not any(taking.roles[grade_id] is Role.SOLUTION for grade_id in taking.places):
        raise _not_ours(assignment, submission)
    return taking.take()


def _not_ours(assignment: Assignment, submission: NotebookNode) -> NotebookError:
    other = assignment_of(assignment.path.parents[1], submission, tests_in_cells=assignment.tests_in_cells)
    wanted = ", ".join(exercise.name for exercise in assignment.exercises)
    rest = f"it is one of {other!r}" if other else f"it has none of the solution cells {wanted}"
    return NotebookError(f"this is not a notebook of {assignment.name!r}: {rest}")


class _Taking:
    """One walk over a submission."""

    def __init__(self, assignment: Assignment, submission: NotebookNode) -> None:
        self.assignment, self.submission = assignment, submission
        self.given: dict[str, NotebookNode] = {}
        self.roles: dict[str, Role] = {}
        for cell in assignment.notebook.cells:
            grade_id, role = grade_id_of(cell), role_of(cell)
            if grade_id is not None and role is not Role.ORDINARY:
                self.given[grade_id], self.roles[grade_id] = cell, role
        self.order = {grade_id: index for index, grade_id in enumerate(self.given)}
        self.places: dict[str, list[int]] = {}
        for number, cell in enumerate(submission.cells, 1):
            if (grade_id := grade_id_of(cell)) in self.given:
                self.places.setdefault(str(grade_id), []).append(number)
        self.demos = {cell.source.strip() for cell in assignment.notebook.cells if DEMO in cell.metadata.get("tags", ())}
        self.due = deque(name for name, cell in self.given.items() if self._is_locked_code(name, cell))
        self.cells: list[CodeCell] = []
        self.remarks: list[str] = []
        self.translator = Translator()

    def _is_locked_code(self, grade_id: str, cell: NotebookNode) -> bool:
        return self.roles[grade_id] is Role.LOCKED and cell.cell_type == "code"

    def take(self) -> Program:
        for number, cell in enumerate(self.submission.cells, 1):
            grade_id = grade_id_of(cell)
            role = self.roles.get(grade_id or "", Role.ORDINARY)
            if grade_id is not None and role is Role.LOCKED:
                self._emit_locked(self.order[grade_id])
            elif cell.cell_type != "code" or role is Role.GRADE:
                continue
            elif grade_id is not None and role is Role.SOLUTION:
                self._emit_locked(self.order[grade_id])
                self._emit(number, grade_id, cell.source)
            elif cell.source.strip() not in self.demos:  # a grade_id that the assignment does not have says nothing
                self._emit(number, None, cell.source)
        self._emit_locked(len(self.order))
        return Program(tuple(self.cells), (*self._notes_on_given(), *self._notes_on_solutions(), *self._bounded_remarks()))

    def _emit_locked(self, upto: int) -> None:
        """Emit the locked cells that are due, as far as the one at ``upto`` in the assignment."""
        while self.due and self.order[self.due[0]] <= upto:
            grade_id = self.due.popleft()
            source = self.given[grade_id].source
            number = self.places.get(grade_id, [0])[0]
            self.cells.append(CodeCell(number, grade_id, True, source, self.translator.translate(source).python))  # noqa: FBT003

    def _emit(self, number: int, grade_id: str | None, source: str) -> None:
        translation = self.translator.translate(source)
        self.cells.append(CodeCell(number, grade_id, False, source, translation.python))  # noqa: FBT003
        rows = source.split("\n")
        for line in translation.left_out:
            what = one_line(rows[line - 1].strip(), 60)
            self.remarks.append(
                f"Cell {number}, line {line}: {what!r} was left out; commands and unknown magics are not run here."
            )

    def _notes_on_given(self) -> list[str]:
        """Lines about locked code cells and grade cells that were deleted, changed, duplicated or moved."""
        moved, notes = self._moved(), []
        checks = {exercise.name + CHECK for exercise in self.assignment.exercises}  # another test's text is not all handed out
        for grade_id, cell in self.given.items():
            if not (grade_id in checks or self._is_locked_code(grade_id, cell)):
                continue
            there = [self.submission.cells[number - 1] for number in self.places.get(grade_id, [])]
            done = [
                ("deleted", not there),
                ("changed", any(c.cell_type != cell.cell_type or not same_text(c.source, cell.source) for c in there)),
                ("duplicated", len(there) > 1),
                ("moved", grade_id in moved),
            ]
            name = f"The {self.roles[grade_id].value} cell {grade_id!r}"
            notes += [f"{name} had been {what}; the original was used." for what, applies in done if applies]
        return notes

    def _moved(self) -> set[str]:
        """The cells that are out of the assignment's order: as few as are needed to explain the order that was found."""
        found = list(self.places)  # in the order of their first places
        wanted = sorted(found, key=self.order.__getitem__)
        blocks = difflib.SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
        return set(found) - {wanted[block.a + i] for block in blocks for i in range(block.size)}

    def _notes_on_solutions(self) -> list[str]:
        notes = []
        for exercise in self.assignment.exercises:
            cells = [self.submission.cells[number - 1] for number in self.places.get(exercise.name, [])]
            code = [cell for cell in cells if cell.cell_type == "code"]
            name = repr(exercise.name)
            if not cells:
                notes.append(f"The solution cell of {name} is missing; if another cell defines it, that definition counts.")
            elif not code:
                notes.append(f"The solution cell of {name} is a {cells[0].cell_type} cell, so its code was not run.")
            elif all(same_text(cell.source, exercise.stub) for cell in code):
                notes.append(f"{name} has not been changed since it was handed out.")
            if len(code) > 1:
                notes.append(f"{len(code)} cells are marked as the solution of {name}; all were run, so the last one counts.")
        return notes

    def _bounded_remarks(self) -> list[str]:
        more = len(self.remarks) - MOST_REMARKS
        return self.remarks[:MOST_REMARKS] + ([f"{more} more such lines were left out."] if more > 0 else [])
