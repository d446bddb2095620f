"""Grade cells that a student deleted, put back where they stood, whatever else was deleted with them.

    the answer or test before it is there    after that one, as nbgrader does
    it is not                                before the next cell of the assignment that is there; at the end, if there is none

nbgrader's own step looks for the cell before it among the grade and solution cells of the submission, and the submission gets no
marks where that one is gone too, or is neither; nor does it where a student has copied a cell.
"""

from __future__ import annotations

from collections.abc import Mapping

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import OverwriteCells

from torchgrade.gradebook.exercises import own_notebook
from torchgrade.gradebook.nbgrader_course import course_of
from torchgrade.gradebook.resources import Resources
from torchgrade.notebook.cells import grade_id_of


class PutBackDeletedCells(OverwriteCells):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's step that makes the assignment's cells its own again; its settings are those of ``c.OverwriteCells``."""

    def preprocess_cell(self, cell: NotebookNode, resources: Resources, cell_index: int) -> tuple[NotebookNode, Resources]:
        """Make one cell what it was; one that is no cell of the assignment is the student's own."""
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if grade_id_of(cell) is None:  # nbgrader takes no more than the name away, and would stop at the rest
            cell.metadata.pop("nbgrader", None)
        return cell, resources

    def add_missing_grade_cells(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put back each cell that is worth points, answers to be graded by hand among them."""
        known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        sources = {cell.name: cell for cell in known.source_cells}
        answers = {cell.name for cell in known.solution_cells}
        points = {cell.name: cell.max_score for cell in known.grade_cells}
        missing = points.keys() - {grade_id_of(cell) for cell in nb.cells if _is_marked(cell)}
        order = self._order(sources) if missing else []
        for name in order:
            if name in missing:
                cell = self.missing_cell_transform(sources[name], points[name], is_solution=name in answers)
                self._put(cell, nb, _place(nb, order, name))
        return nb, resources

    def add_missing_task_cells(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put back each task at the end, as nbgrader does."""
        known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        sources = {cell.name: cell for cell in known.source_cells}
        points = {cell.name: cell.max_score for cell in known.task_cells}
        missing = points.keys() - {grade_id_of(cell) for cell in nb.cells}
        for name in self._order(sources) if missing else []:
            if name in missing:
                self._put(self.missing_cell_transform(sources[name], points[name], is_task=True), nb, len(nb.cells))
        return nb, resources

    def _order(self, sources: Mapping[str, object]) -> list[str]:
        """The names of the assignment's cells as they stand in its notebook; the gradebook keeps them in no order."""
        path = course_of(self).assignments / self.assignment_id / f"{self.notebook_id}.ipynb"
        names = [name for cell in own_notebook(path).cells if (name := grade_id_of(cell)) is not None and name in sources]
        return [*names, *(name for name in sources if name not in names)]

    def _put(self, cell: NotebookNode, nb: NotebookNode, place: int) -> None:
        self.log.warning("the cell %r was deleted, and is put back", grade_id_of(cell))
        cell["id"] = f"put-back-{len(nb.cells)}"
        nb.cells.insert(place, cell)


def _is_marked(cell: NotebookNode) -> bool:
    return bool(utils.is_grade(cell) or utils.is_solution(cell))


def _place(nb: NotebookNode, order: list[str], name: str) -> int:
    """Where a cell belongs that is not there."""
    places = {grade_id: index for index, cell in enumerate(nb.cells) if (grade_id := grade_id_of(cell)) is not None}
    here = order.index(name)
    if here == 0:
        return 0
    before = places.get(order[here - 1])
    if before is not None and _is_marked(nb.cells[before]):
        return before + 1
    earliest = 1 + max((places[each] for each in order[:here] if each in places), default=-1)
    return max(earliest, next((places[each] for each in order[here:] if each in places), len(nb.cells)))
