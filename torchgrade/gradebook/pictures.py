"""Pictures in answers that a person grades, kept as they were handed in: nothing here runs the notebook and draws them again.

    submission ──► ClearOutputButPictures ──► autograded copy ──► Formgrader, feedback page

Every other output is cleared, as nbgrader does. A picture is its author's word for what the code beside it draws.
"""

from __future__ import annotations

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearOutput

from torchgrade.gradebook.exercises import is_graded_by_hand
from torchgrade.gradebook.resources import Resources
from torchgrade.notebook.pictures import pictures_of


class ClearOutputButPictures(ClearOutput):  # type: ignore[misc]  # nbgrader has no types
    """Clear a submission's outputs, but for the PNG and JPEG pictures of answers that a person grades."""

    def preprocess_cell(self, cell: NotebookNode, resources: Resources, cell_index: int) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry, for one cell."""
        kept = pictures_of(cell.get("outputs")) if is_graded_by_hand(cell) else []
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if kept:
            cell.outputs = nbformat.from_dict(kept)
        return cell, resources
